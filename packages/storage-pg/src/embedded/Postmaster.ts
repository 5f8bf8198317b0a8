import { Effect } from "effect"
import { lstat, readFile, readlink, realpath } from "node:fs/promises"
import { join } from "node:path"
import type { DataFolder } from "./DataFolder.ts"
import type { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"
import { readPlainFile } from "./PlainFile.ts"
import { isAlive, isListed, isProtected } from "./ProcessState.ts"

const pidFile = (folder: DataFolder): string => join(folder.cluster, "postmaster.pid")

/** The lock files of the cluster and of its socket, relative to `home`. Each begins with the process id. */
const lockFiles = ["data/postmaster.pid", "run/.s.PGSQL.5432.lock"]

/**
 * Milliseconds. PostgreSQL writes the file at once; one that is empty for longer is left over from a crash of the
 * machine.
 */
const emptyForMillis = 5_000

/** Such a process is no postmaster of a folder of this user. PostgreSQL decides the same. */
const isAnothers = (pid: number): boolean => process.geteuid?.() !== 0 && isProtected(pid)

/** True unless the process is certainly another program: a postmaster's working directory is its cluster's folder. */
const mayServe = async (pid: number, folder: DataFolder): Promise<boolean> => {
  if (!isAlive(pid) || isAnothers(pid)) return false
  if (process.platform !== "linux") return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(folder.cluster))
  } catch {
    // Another user's process, whose working directory is not readable.
    return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "postgres")).trim() === "postgres"
  }
}

/** The process id of the server that runs on this cluster; undefined when there is none. */
export const runningPid = (folder: DataFolder): Effect.Effect<number | undefined> =>
  Effect.promise(async () => {
    const text = await readPlainFile(pidFile(folder)).catch(() => "")
    const pid = Number.parseInt(text, 10)
    return pid > 0 && (await mayServe(pid, folder)) ? pid : undefined
  })

/**
 * PostgreSQL itself replaces a lock file whose process is gone. It fails when another process has that id by now (a
 * restarted container, or a folder copied from under a running server) and when the file is empty; those files are
 * removed here.
 */
export const removeStaleLocks = (folder: DataFolder): Effect.Effect<void, EmbeddedError> =>
  Effect.gen(function* () {
    const found = yield* Effect.promise(() => Promise.all(lockFiles.map((name) => isStale(folder, name))))
    const stale = lockFiles.filter((_, at) => found[at])
    if (stale.length > 0) yield* inHome(folder, "A stale lock file cannot be removed", `rm -f -- "$@"`, stale)
  })

const isStale = async (folder: DataFolder, name: string): Promise<boolean> => {
  const path = join(folder.home, name)
  try {
    const [text, found] = [await readPlainFile(path), await lstat(path)]
    const pid = Number.parseInt(text, 10)
    const empty = text.trim() === "" && Date.now() - found.mtimeMs > emptyForMillis
    return empty || (pid > 0 && isListed(pid) && !(await mayServe(pid, folder)))
  } catch {
    // No such file: nothing is stale.
    return false
  }
}
