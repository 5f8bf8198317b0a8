import { Backup } from "@lists-and-things/domain/backup/Backup"
import { backupLines, type BackupContent } from "@lists-and-things/domain/backup/BackupContent"
import { displayOrder } from "@lists-and-things/domain/lists/ListOrder"
import { renderMarkdown } from "@lists-and-things/domain/markdown/MarkdownExport"
import { runStepsSync } from "@lists-and-things/domain/Yielding"
import { Effect } from "effect"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { StorageRun } from "../../Command.ts"
import { Failure } from "../../Failure.ts"
import { count } from "../../Output.ts"
import { findAccount, onBehalfOf } from "../../Owner.ts"
import { fileName, uniqueNames } from "./FileNames.ts"

interface OutFile {
  readonly name: string
  readonly lines: Iterable<string>
}

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* findAccount(input.option("account") ?? "")
    const content = yield* onBehalfOf(account)((yield* Backup).take)
    const out = input.option("out") ?? "."
    const wanted = (input.option("format") ?? "json") === "json" ? jsonFiles(content) : markdownFiles(content)
    const files = yield* Effect.tryPromise({
      try: () => writeAll(out, wanted),
      catch: (error) => new Failure(`${out} cannot be written to: ${error instanceof Error ? error.message : error}`)
    })
    const { lists, things, reminders } = content
    return {
      json: { lists: lists.length, things: things.length, reminders: reminders.length, files },
      text: `Wrote ${count(lists.length, "list")}, ${count(things.length, "thing")} and ${count(reminders.length, "reminder")} to ${
        files.length === 1 ? files[0] : `${count(files.length, "file")} in ${out}`
      }.`,
      quiet: files.join("\n")
    }
  })

const jsonFiles = (content: BackupContent): ReadonlyArray<OutFile> => [
  { name: `${fileName(content.account.email)}.json`, lines: backupLines(content) }
]

/** One file a list, empty day lists left out; archived lists in a folder of their own. */
const markdownFiles = (content: BackupContent): ReadonlyArray<OutFile> => {
  const byList = Map.groupBy(content.things, (thing) => thing.listId)
  const nameOf = uniqueNames()
  return content.lists
    .filter((list) => list.day === null || byList.has(list.id))
    .map((list) => ({
      name: nameOf(join(list.archived ? "archived" : "", fileName(list.title)), ".md"),
      lines: [renderMarkdown(list, runStepsSync(displayOrder(byList.get(list.id) ?? [], list.sort))).trimEnd()]
    }))
}

/** Each file is there whole or not at all: it gets its name when it is written and on disk. */
const writeAll = async (folder: string, files: ReadonlyArray<OutFile>): Promise<ReadonlyArray<string>> => {
  await mkdir(folder, { recursive: true })
  const written: Array<string> = []
  for (const { name, lines } of files) {
    const path = join(folder, name)
    await mkdir(join(path, ".."), { recursive: true })
    await writeWhole(path, lines)
    written.push(path)
  }
  return written
}

const writeWhole = async (path: string, lines: Iterable<string>): Promise<void> => {
  const temporary = `${path}.${process.pid}.part`
  try {
    const file = await open(temporary, "w", 0o600)
    try {
      for (const chunk of chunksOf(lines)) await file.write(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = ""
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < 1_000_000) continue
    yield chunk
    chunk = ""
  }
  yield chunk
}
