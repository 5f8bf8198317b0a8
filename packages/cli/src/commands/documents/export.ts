import { counted } from "@lists-and-things/domain/text/Wording"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Backup } from "@lists-and-things/domain/backup/Backup"
import { backupLines, type BackupContent } from "@lists-and-things/domain/backup/BackupContent"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { List } from "@lists-and-things/domain/model/List"
import { displayOrder } from "@lists-and-things/domain/lists/ListOrder"
import { renderMarkdown } from "@lists-and-things/domain/markdown/MarkdownExport"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeAtomically } from "../../AtomicFile.ts"
import type { StorageRun } from "../../Command.ts"
import { Failure, reasonOf, UsageError } from "../../Failure.ts"
import type { Input } from "../../Input.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import type { Terminal } from "../../Terminal.ts"
import { fileName, uniqueNames } from "./FileNames.ts"

type Lines = Stream.Stream<ReadonlyArray<string>, StorageUnavailable>
type Writing<A> = Effect.Effect<A, Failure | StorageUnavailable>
/** Returns the paths of the files written. */
type Format = (content: BackupContent) => Writing<ReadonlyArray<string>>

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const out = input.option("out") ?? "."
    const isJson = (input.option("format") ?? "json") === "json"
    if (out !== "-") {
      const { files, ...read } = yield* exported(input, account, (isJson ? asJson : asMarkdown)(out))
      const counts = isJson ? read : { ...read, lists: files.length }
      const where = files.length === 1 ? files[0] : `${counted(files.length, "file")} in ${out}`
      const written = isJson
        ? summary(counts)
        : `${counted(counts.lists, "list")} and ${counted(counts.things, "thing")}`
      return { json: { ...counts, files }, text: `Wrote ${written} to ${where}.`, quiet: files.join("\n") }
    }
    if (!isJson) {
      return yield* Effect.fail(
        new UsageError(
          "--out - is for one file, and markdown is one a list: name a folder",
          `'${lat("list show LIST --markdown")}' writes one list to standard output.`
        )
      )
    }
    const counts = yield* throughFile(input, account)
    if (!input.mode.quiet) input.terminal.err(`Wrote ${summary(counts)}.\n`)
    return { json: counts, text: "", isWritten: true }
  }).pipe(Effect.provide(Backup.layer))

interface Counts {
  readonly lists: number
  readonly things: number
  readonly reminders: number
}

const summary = ({ lists, reminders, things }: Counts): string =>
  `${counted(lists, "list")}, ${counted(things, "thing")} and ${counted(reminders, "reminder")}`

const exported = (input: Input, account: Account, format: Format) =>
  Effect.gen(function* () {
    input.progress.begin("Exporting")
    return yield* onBehalfOf(account)(
      (yield* Backup).read((content) => {
        const reading = counting(content, (things) => input.progress.at(counted(things, "thing")))
        return Effect.map(format(reading.content), (files) => ({ ...reading.counts, files }))
      })
    )
  })

/**
 * Exports to a temporary file first: standard output gets all or nothing, and a slow reader holds no snapshot of the
 * storage.
 */
const throughFile = (input: Input, account: Account) =>
  Effect.acquireUseRelease(
    onDisk(openUnlinked),
    (file) =>
      Effect.gen(function* () {
        const append = (text: string) => onDisk(() => file.writeFile(text))
        const counts = yield* exported(input, account, (content) =>
          Effect.as(appendLines(backupLines(content), append), [])
        )
        yield* writtenTo(file, input.terminal)
        return counts
      }),
    (file) => onDisk(() => file.close())
  )

const onDisk = <A>(step: () => Promise<A>) =>
  Effect.tryPromise({
    try: step,
    catch: (error) => new Failure(`A temporary file cannot be written: ${reasonOf(error)}`)
  })

/** Opens a temporary file that has no name any more, so that nothing is left behind, however the process ends. */
const openUnlinked = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `lat-export-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  await rm(path)
  return file
}

const writtenTo = (file: FileHandle, terminal: Terminal) =>
  Effect.tryPromise({
    try: async () => {
      const pieces = file.createReadStream({ encoding: "utf8", start: 0, autoClose: false })
      for await (const piece of pieces) await terminal.outWhenReady(piece as string)
    },
    catch: () => new Failure("The reader of the export has gone.")
  })

/**
 * Passes the content through unchanged and updates `counts` as it is read; calls `onThings` with the number of things
 * so far.
 */
const counting = (content: BackupContent, onThings: (count: number) => void) => {
  const counts = { lists: content.lists.length, things: 0, reminders: 0 }
  return {
    counts,
    content: {
      ...content,
      thingsOf: (list: List) =>
        Stream.tap(content.thingsOf(list), (all) => Effect.sync(() => onThings((counts.things += all.length)))),
      reminders: Stream.tap(content.reminders, (all) => Effect.sync(() => (counts.reminders += all.length)))
    }
  }
}

const asJson =
  (folder: string): Format =>
  (content) =>
    Effect.map(write(join(folder, `${accountName(content.account)}.json`), backupLines(content)), (path) => [path])

/**
 * The email, followed by the id if the email had to be altered for a file name, so that no two accounts share a file.
 */
const accountName = ({ email, id }: Account): string => {
  const name = fileName(email)
  return name === email ? name : `${name} ${id}`
}

/**
 * One file per list, without empty day lists; archived lists in their own folder. Markdown has no reminders, so they are
 * not read. Holds one list in memory.
 */
const asMarkdown =
  (folder: string): Format =>
  (content) =>
    Effect.gen(function* () {
      const nameOf = uniqueNames()
      const paths: Array<string> = []
      for (const list of content.lists) {
        const things = (yield* Stream.runCollect(content.thingsOf(list))).flat()
        if (list.day !== null && things.length === 0) continue
        const name = nameOf(join(list.archived ? "archived" : "", fileName(list.title)), ".md")
        const text = renderMarkdown(list, runStepsSync(displayOrder(things, list.sort))).trimEnd()
        paths.push(yield* write(join(folder, name), Stream.make([text])))
      }
      return paths
    })

/** Writes the lines to a file; returns its path. */
const write = (path: string, lines: Lines): Writing<string> =>
  Effect.as(
    writeAtomically(path, (append) => appendLines(lines, append)),
    path
  )

const appendLines = (lines: Lines, append: (text: string) => Effect.Effect<void, Failure>): Writing<void> =>
  Stream.runForEach(lines, (some) => append(some.map((line) => `${line}\n`).join("")))
