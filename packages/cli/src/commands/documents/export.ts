import { counted } from "@lists-and-things/domain/text/Wording"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { Backup } from "@lists-and-things/domain/backup/Backup"
import { backupLines, type BackupContent } from "@lists-and-things/domain/backup/BackupContent"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { List } from "@lists-and-things/domain/model/List"
import { displayOrder } from "@lists-and-things/domain/lists/ListOrder"
import { renderMarkdown } from "@lists-and-things/domain/markdown/MarkdownExport"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect, Stream } from "effect"
import { join } from "node:path"
import { writeAtomically } from "../../AtomicFile.ts"
import type { StorageRun } from "../../Command.ts"
import { Failure } from "../../Failure.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import { fileName, uniqueNames } from "./FileNames.ts"

type Lines = Stream.Stream<ReadonlyArray<string>, StorageUnavailable>
type Writing<A> = Effect.Effect<A, Failure | StorageUnavailable>
/** Returns the paths of the files written. */
type Format = (content: BackupContent, folder: string) => Writing<ReadonlyArray<string>>

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const out = input.option("out") ?? "."
    if (out === "-") {
      return yield* Effect.fail(
        new Failure("--out names a folder, not -.", `An example: --out backup. '${lat("db dump -")}' writes to a pipe.`)
      )
    }
    const format = (input.option("format") ?? "json") === "json" ? asJson : asMarkdown
    input.progress.begin("Exporting")
    const { lists, things, reminders, files } = yield* onBehalfOf(account)(
      (yield* Backup).read((content) => {
        const reading = counting(content, (things) => input.progress.at(counted(things, "thing")))
        return Effect.map(format(reading.content, out), (paths) => ({ ...reading.counts, files: paths }))
      })
    )
    return {
      json: { lists, things, reminders, files },
      text: `Wrote ${counted(lists, "list")}, ${counted(things, "thing")} and ${counted(reminders, "reminder")} to ${
        files.length === 1 ? files[0] : `${counted(files.length, "file")} in ${out}`
      }.`,
      quiet: files.join("\n")
    }
  }).pipe(Effect.provide(Backup.layer))

/** Passes the content through unchanged and updates `counts` as it is read; `onThings` is told how many there were. */
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

const asJson: Format = (content, folder) =>
  Effect.map(write(join(folder, `${fileName(content.account.email)}.json`), backupLines(content)), (path) => [path])

/** One file per list, without empty day lists; archived lists in their own folder. Holds one list in memory. */
const asMarkdown: Format = (content, folder) =>
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
    yield* Stream.runDrain(content.reminders)
    return paths
  })

/** Returns the path. */
const write = (path: string, lines: Lines): Writing<string> =>
  Effect.as(
    writeAtomically(path, (append) =>
      Stream.runForEach(lines, (some) => append(some.map((line) => `${line}\n`).join("")))
    ),
    path
  )
