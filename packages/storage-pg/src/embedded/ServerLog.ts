import { Effect } from "effect"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { DataFolder } from "./DataFolder.ts"
import type { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The server begins a new log file at this size; PostgreSQL never removes any. */
export const rotateAfterMebibytes = 8

const keptFiles = 8
const keptBytes = keptFiles * rotateAfterMebibytes * 1024 * 1024
const startLogBytes = 64 * 1024

interface LogFile {
  readonly name: string
  readonly bytes: number
  /** Time of the last write. */
  readonly written: EpochMillis
}

/**
 * The files to remove, so that the newest 8 stay and at most 64 MiB of them. The file that is being written always
 * stays.
 */
export const surplusOf = (files: ReadonlyArray<LogFile>): ReadonlyArray<string> => {
  const newestFirst = files.toSorted((a, b) => b.written - a.written || (a.name < b.name ? 1 : -1))
  let bytes = 0
  return newestFirst.flatMap((file, at) => {
    bytes += file.bytes
    return at > 0 && (at >= keptFiles || bytes > keptBytes) ? [file.name] : []
  })
}

const filesIn = async (folder: string): Promise<ReadonlyArray<LogFile>> => {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names
      .filter((name) => /^postgresql-[\w-]+\.log$/.test(name))
      .map(async (name) => {
        const found = await lstat(join(folder, name)).catch(() => undefined)
        return found === undefined ? [] : [{ name, bytes: found.size, written: EpochMillis(found.mtimeMs) }]
      })
  )
  return files.flat()
}

/** The paths of the log files, the oldest first. */
export const logFiles = async (folder: DataFolder): Promise<ReadonlyArray<string>> => {
  const names = (await filesIn(join(folder.home, "log"))).map(({ name }) => name)
  return names.toSorted().map((name) => join(folder.home, "log", name))
}

const script = `
if [ -f start.log ] && [ "$(wc -c < start.log)" -gt ${startLogBytes} ]; then : > start.log; fi
for name in "$@"; do rm -f "log/$name"; done
`

/** Removes the oldest log files of the server, at every start and once a minute while a process uses the server. */
export const limitLog = (folder: DataFolder): Effect.Effect<void, EmbeddedError> =>
  Effect.gen(function* () {
    const surplus = surplusOf(yield* Effect.promise(() => filesIn(join(folder.home, "log"))))
    const large = yield* Effect.promise(() =>
      lstat(folder.startLog).then(
        ({ size }) => size > startLogBytes,
        () => false
      )
    )
    if (surplus.length === 0 && !large) return
    yield* inHome(folder, "Old files of the server's log cannot be removed", script, surplus)
  })
