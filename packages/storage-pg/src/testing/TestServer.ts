import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Pool, RcMap, Redacted, Scope } from "effect"
import { createHash } from "node:crypto"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { binariesFor } from "../embedded/Binaries.ts"
import { refuseUnknownTypes } from "./UnknownTypes.ts"

refuseUnknownTypes()

/** A PostgreSQL server for one test, on a Unix socket, in a folder that is removed with it. */
export interface TestServer {
  readonly version: TestVersion
  readonly folder: string
  readonly pid: () => number
  /** The URL of a database on this server. */
  readonly url: (database?: string) => Redacted.Redacted<string>
  /** Creates an empty database and returns its URL. */
  readonly createDatabase: (name: string, options?: string) => Promise<Redacted.Redacted<string>>
  /** Runs one statement, as the superuser. */
  readonly sql: (text: string, database?: string) => Promise<ReadonlyArray<PgConnection.Row>>
  readonly start: () => Promise<void>
  readonly halt: (mode: "fast" | "immediate" | "kill") => Promise<void>
  readonly stop: () => Promise<void>
}

export type TestVersion = 15 | 18

interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root; for root it runs as `postgres` or `nobody`. */
export const serverUser = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }))
      return { name, uid: id("-u"), gid: id("-g") }
    } catch {
      continue
    }
  }
  throw new Error("As root, a user postgres or nobody is needed to run PostgreSQL")
}

/** The folder of Debian's package, or the one on the path. */
const foldersOf = (version: TestVersion): ReadonlyArray<string> => {
  const debian = `/usr/lib/postgresql/${version}/bin`
  try {
    return [debian, execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: "pipe" }).trim()]
  } catch {
    return [debian]
  }
}

const installed = (version: TestVersion): string | undefined =>
  foldersOf(version).find((folder) => {
    try {
      const answer = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8", stdio: "pipe" })
      return Number(/ (\d+)/.exec(answer)?.[1]) === version
    } catch {
      return false
    }
  })

const missing = (version: TestVersion): string =>
  `PostgreSQL ${version} is not installed: on Debian 12, apt-get install postgresql-15`

/** What all test runs on this machine share. */
const home = join(tmpdir(), "lists-and-things-test-binaries")

const folderOf = async (version: TestVersion): Promise<string> => {
  if (version !== 18) return installed(version) ?? Promise.reject(new Error(missing(version)))
  return join(await Effect.runPromise(binariesFor(home, home, serverUser())), "bin")
}

/** The versions that this tier runs on: the one that is shipped, or the oldest supported one. */
export const testVersions: ReadonlyArray<TestVersion> = [process.env["LAT_TEST_POSTGRES"] === "15" ? 15 : 18]

const settings = (folder: string, more: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    "listen_addresses=",
    `unix_socket_directories=${folder}`,
    "max_connections=400",
    "shared_buffers=128MB",
    "max_wal_size=2GB",
    ...more
  ].flatMap((setting) => ["-c", setting])

const connect = (url: string) => PgConnection.make({ url: Redacted.make(url), maxMessageSize: 1 << 28, prepare: false })

/**
 * Connection pools by URL, each until nothing has used it for a second: a new connection costs PostgreSQL more than most
 * statements of tests do, since a process with empty caches serves it.
 */
const pools = Effect.runSync(
  Scope.provide(
    RcMap.make({
      lookup: (url: string) => Pool.makeWithTTL({ acquire: connect(url), min: 0, max: 100, timeToLive: "1 second" }),
      idleTimeToLive: "1 second"
    }),
    Scope.makeUnsafe()
  )
)

/** Runs one statement on a connection of its own, which others may have used before; after an error, on a new one. */
export const askAt = (url: Redacted.Redacted<string>, text: string): Promise<ReadonlyArray<PgConnection.Row>> => {
  const key = Redacted.value(url)
  return RcMap.get(pools, key).pipe(
    Effect.flatMap((pool) => Pool.get(pool)),
    Effect.flatMap((connection) => connection.query(text)),
    Effect.tapError(() => RcMap.invalidate(pools, key)),
    Effect.map(({ rows }) => rows),
    Effect.scoped,
    Effect.runPromise
  )
}

/** Closes idle connections, before their server ends; a statement that still runs keeps its own. */
const closeIdle = (): Promise<void> =>
  RcMap.keys(pools).pipe(
    Effect.flatMap(Effect.forEach((key) => RcMap.invalidate(pools, key), { discard: true })),
    Effect.runPromise
  )

/** Gives a folder to the user of a server. */
const open = (folder: string, user: User | undefined): void => {
  chmodSync(folder, 0o755)
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
}

/**
 * A cluster to which nothing was written, for each set of binaries and options of `initdb`. Of several processes that
 * make it concurrently, the first to finish renames its own into place. Copying it takes a quarter of the processor time.
 */
const blankCluster = (bin: string, user: User | undefined): string => {
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
  const digest = createHash("sha256")
    .update(JSON.stringify([bin, user, options]))
    .digest("hex")
    .slice(0, 16)
  const blank = join(home, `cluster-${digest}`)
  if (existsSync(blank)) return blank
  const made = mkdtempSync(join(home, "making-"))
  open(made, user)
  execFileSync(join(bin, "initdb"), ["-D", made, ...options], {
    ...user,
    cwd: made,
    stdio: ["ignore", "ignore", "pipe"]
  })
  try {
    renameSync(made, blank)
  } catch (error) {
    if (!existsSync(blank)) throw error
    rmSync(made, { recursive: true })
  }
  return blank
}

const initialize = (bin: string, folder: string, user: User | undefined): void => {
  open(folder, user)
  execFileSync("cp", ["-a", blankCluster(bin, user), join(folder, "data")])
}

/** The URL of a database on the server whose socket is in the folder. */
export const addressIn = (folder: string, database: string): Redacted.Redacted<string> =>
  Redacted.make(`postgres:///${database}?host=${encodeURIComponent(folder)}&user=postgres`)

/** A copy of a running server, which follows it and only reads until it is promoted. */
const copyOf = (primary: string, bin: string, folder: string, user: User | undefined): void => {
  open(folder, user)
  const to = ["-D", join(folder, "data"), "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
  const program = join(bin, "pg_basebackup")
  execFileSync(program, ["-h", primary, "-U", "postgres", ...to], { ...user, cwd: folder, stdio: "pipe" })
}

const signals = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const

/** Starts a new server. The caller stops it. */
export const startTestPostgres = async (options: {
  readonly version: TestVersion
  /** Folder of the server that this one follows; Debian's packages have the program for it, the embedded ones do not. */
  readonly follows?: string
  /** Entries such as `synchronous_commit=off`. */
  readonly settings?: ReadonlyArray<string>
}): Promise<TestServer> => {
  mkdirSync(home, { recursive: true })
  const bin = await folderOf(options.version)
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), "lat-pg-"))
  if (options.follows === undefined) initialize(bin, folder, user)
  else copyOf(options.follows, bin, folder, user)
  let server: ChildProcess | undefined

  const url = (database = "postgres") => addressIn(folder, database)
  const sql = (text: string, database?: string) => askAt(url(database), text)

  const start = async (): Promise<void> => {
    const args = ["-D", join(folder, "data"), ...settings(folder, options.settings ?? [])]
    const started = spawn(join(bin, "postgres"), args, { ...user, cwd: folder, stdio: "ignore" })
    server = started
    await until("a PostgreSQL that answers", async () => {
      if (started.exitCode !== null) throw new Error("PostgreSQL did not start")
      return existsSync(join(folder, ".s.PGSQL.5432")) && (await sql("select 1").then(Boolean, () => false))
    })
  }

  const halt: TestServer["halt"] = async (mode) => {
    const running = server
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    await closeIdle()
    running.kill(signals[mode])
    await ended
    server = undefined
  }

  await start()
  return {
    version: options.version,
    folder,
    pid: () => server?.pid ?? -1,
    url,
    createDatabase: async (name, more = "") => {
      await sql(`create database "${name}" ${more}`)
      return url(name)
    },
    sql,
    start,
    halt,
    stop: async () => {
      await halt("immediate")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
