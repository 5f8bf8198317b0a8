import { counted } from "@lists-and-things/domain/text/Wording"
import type { Account } from "@lists-and-things/domain/model/Account"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { ImportMarkdownInput } from "@lists-and-things/domain/json/ListInput"
import { bulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import { basename } from "node:path"
import type { StorageRun } from "../../Command.ts"
import { Failure, UsageError } from "../../Failure.ts"
import { readText } from "../../StandardInput.ts"
import type { Input } from "../../Input.ts"
import { listJsonOf, targetOf } from "../../ListView.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import { expandFiles } from "./FilePatterns.ts"

interface Document {
  readonly file: string
  /** Undefined for standard input. */
  readonly fileName: string | undefined
  readonly content: ImportMarkdownInput
}

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const documents = yield* readDocuments(input)
    const account = yield* ownerOf(input)
    const list = input.option("list")
    if (list !== undefined) return yield* addTo(list, input, account, documents)
    const imported = yield* importAll(input, account, documents, ({ content, fileName }) =>
      Effect.flatMap(Lists, (lists) => lists.importMarkdown(content, fileName))
    )
    const json = yield* Effect.forEach(imported, ({ list, created, skipped }) =>
      Effect.map(listJsonOf(account, list), (each) => ({ list: each, created, skipped }))
    )
    return {
      json,
      text: imported.map(({ list, created }) => `${list.title}: ${counted(created, "thing")} (${list.id})`).join("\n"),
      quiet: imported.map(({ list }) => list.id).join("\n")
    }
  })

/** Adds the documents to a list or a day. */
const addTo = (list: string, input: Input, account: Account, documents: ReadonlyArray<Document>) =>
  Effect.gen(function* () {
    const counts = yield* importAll(input, account, documents, ({ content: { markdown } }) =>
      Effect.flatMap(BulkThings, (bulk) => bulk.appendMarkdown({ markdown, ...targetOf(list) }))
    )
    const created = counts.reduce((sum, each) => sum + each.created, 0)
    return {
      json: counts.map(bulkCreatedJson),
      text: `Added ${counted(created, "thing")} to ${list}.`,
      quiet: [...new Set(counts.flatMap(({ byList }) => byList.map(({ listId }) => listId)))].join("\n")
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
    if (title !== undefined && input.option("list") !== undefined) {
      return yield* Effect.fail(new UsageError("--title and --list exclude each other"))
    }
    if (title !== undefined && files.length > 1) {
      return yield* Effect.fail(new UsageError("--title is for a single document: leave it out for several"))
    }
    return yield* Effect.forEach(files, (file) => readDocument(input, file, title))
  })

/** Empty standard input usually means that the command before the pipe failed. */
const nothingRead = new Failure("Standard input is empty.", "Nothing was imported.")

const readDocument = (input: Input, file: string, title: string | undefined) =>
  Effect.gen(function* () {
    const markdown = yield* readText(file, input.terminal, `Name the files in it, such as '${file}/*.md'.`)
    if (file === "-" && markdown.trim() === "") return yield* Effect.fail(nothingRead)
    const content = yield* Effect.mapError(
      decodeInput(ImportMarkdownInput)({ markdown, ...(title !== undefined && { title }) }),
      (error) => (error.field === "title" ? error : inFile(file, withoutExample(error)))
    )
    return { file, fileName: file === "-" ? undefined : basename(file), content }
  })

const importAll = <A, E extends { readonly _tag: string }, R>(
  input: Input,
  account: Account,
  documents: ReadonlyArray<Document>,
  take: (document: Document) => Effect.Effect<A, E | InvalidInput, R>
) =>
  Effect.gen(function* () {
    input.progress.begin("Importing")
    const done: Array<A> = []
    const each = (document: Document) =>
      Effect.gen(function* () {
        const { file } = document
        input.progress.at(`${done.length + 1} of ${documents.length}: ${file}`)
        done.push(
          yield* Effect.catch(take(document), (error) =>
            Effect.fail(
              error instanceof InvalidInput && error.field !== "list" ? inFile(file, error, done.length) : error
            )
          )
        )
      })
    yield* onBehalfOf(account)(Effect.forEach(documents, each, { discard: true }))
    return done
  })

/** Removes the example, which is in the form of a request body. */
const withoutExample = ({ field, reason, sent }: InvalidInput): InvalidInput =>
  new InvalidInput({ field, reason, ...(sent !== undefined && { sent }) })

const inFile = (file: string, error: { readonly message: string }, before = 0): Failure =>
  new Failure(
    `${file === "-" ? "standard input" : file}: ${error.message}`,
    before === 0
      ? "Nothing was imported."
      : `${counted(before, "document")} before it ${before === 1 ? "was" : "were"} imported.`
  )
