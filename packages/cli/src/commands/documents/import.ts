import type { Account } from "@lists-and-things/domain/model/Account"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { ImportMarkdownInput } from "@lists-and-things/domain/json/ListInput"
import { Lists, type CreatedList } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import { basename, extname } from "node:path"
import type { StorageRun } from "../../Command.ts"
import { Failure, UsageError } from "../../Failure.ts"
import { readText } from "../../StandardInput.ts"
import type { Input } from "../../Input.ts"
import { listJsonOf } from "../../ListView.ts"
import { count } from "../../Output.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import { expandFiles } from "./FilePatterns.ts"

interface Document {
  readonly file: string
  readonly content: ImportMarkdownInput
}

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const documents = yield* readDocuments(input)
    const account = yield* ownerOf(input)
    const imported = yield* importAll(input, account, documents)
    const json = yield* Effect.forEach(imported, ({ list, created, skipped }) =>
      Effect.map(listJsonOf(account, list), (each) => ({ list: each, created, skipped }))
    )
    return {
      json,
      text: imported.map(({ list, created }) => `${list.title}: ${count(created, "thing")} (${list.id})`).join("\n"),
      quiet: imported.map(({ list }) => list.id).join("\n")
    }
  })

/** Reads and validates every file before the first is imported. */
const readDocuments = (input: Input) =>
  Effect.gen(function* () {
    const files = yield* Effect.tryPromise({
      try: () => expandFiles(input.arguments("FILE")),
      catch: (error) => (error instanceof Failure ? error : new Failure(String(error)))
    })
    const title = input.option("title")
    if (title !== undefined && files.length > 1) {
      return yield* Effect.fail(new UsageError("--title is for a single document: leave it out for several"))
    }
    return yield* Effect.forEach(files, (file) => readDocument(input, file, title))
  })

/** Of a pipe whose first program failed comes nothing. */
const nothingRead = new Failure("Standard input is empty.", "Nothing was imported.")

const readDocument = (input: Input, file: string, given: string | undefined) =>
  Effect.gen(function* () {
    const markdown = yield* readText(file, input.terminal)
    if (file === "-" && markdown.trim() === "") return yield* Effect.fail(nothingRead)
    const title = given ?? fileTitle(file, markdown)
    const content = yield* Effect.mapError(
      decodeInput(ImportMarkdownInput)({ markdown, ...(title !== undefined && { title }) }),
      (error) => inFile(file, error)
    )
    return { file, content }
  })

/** The title of a document without a heading: the file's name. */
const fileTitle = (file: string, markdown: string): string | undefined =>
  file === "-" || /^ {0,3}#\s/m.test(markdown) || /^=+\s*$/m.test(markdown) ? undefined : basename(file, extname(file))

const importAll = (input: Input, account: Account, documents: ReadonlyArray<Document>) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    input.progress.begin("Importing")
    const done: Array<CreatedList> = []
    const each = ({ content, file }: Document) =>
      Effect.gen(function* () {
        input.progress.at(`${done.length + 1} of ${documents.length}: ${file}`)
        done.push(
          yield* Effect.catchTag(lists.importMarkdown(content), "InvalidInput", (error) =>
            Effect.fail(inFile(file, error, done.length))
          )
        )
      })
    yield* onBehalfOf(account)(Effect.forEach(documents, each, { discard: true }))
    return done
  })

const inFile = (file: string, error: { readonly message: string }, before = 0): Failure =>
  new Failure(
    `${file === "-" ? "standard input" : file}: ${error.message}`,
    before === 0
      ? "Nothing was imported."
      : `${count(before, "document")} before it ${before === 1 ? "was" : "were"} imported.`
  )
