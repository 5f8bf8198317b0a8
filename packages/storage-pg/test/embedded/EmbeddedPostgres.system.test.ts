import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { msPerDay } from "@lists-and-things/domain/model/EpochMillis"
import { Clock, type Duration, Effect } from "effect"
import { spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import pg from "pg"
import * as EmbeddedPostgres from "../../src/embedded/EmbeddedPostgres.ts"
import { isAlive } from "../../src/embedded/ProcessState.ts"
import { end, Folder, sleep } from "./Participants.ts"

const isRoot = process.getuid?.() === 0

describe("the embedded PostgreSQL, in a new data folder", () => {
  let folder: Folder

  beforeEach(() => {
    folder = new Folder()
  })

  afterEach(() => folder.remove())

  it("is created once by processes that start concurrently", async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => folder.participant()))
    expect(new Set(all.map((each) => each.pid)).size).toBe(1)
    expect(readdirSync(join(folder.dataDir, "postgres")).filter((name) => name.includes("new"))).toEqual([])
    await Promise.all(all.map((each) => end(each, "SIGTERM")))
    expect(folder.serverPid()).toBeUndefined()
  })

  it("starts while the clock of the machine is being set, as at boot without a battery", async () => {
    let days = 0
    const set = Effect.map(Clock.Clock, (clock) => ({
      sleep: (duration: Duration.Duration) => clock.sleep(duration),
      currentTimeMillisUnsafe: () => msPerDay * days++,
      currentTimeMillis: Effect.sync(() => msPerDay * days++),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos
    }))
    const connected = Effect.scoped(EmbeddedPostgres.connect(folder.dataDir))
    const { database } = await Effect.runPromise(Effect.provideServiceEffect(connected, Clock.Clock, set))
    expect(database).toBe("postgres")
  })

  it("survives processes that start and end concurrently", async () => {
    const rounds = async (): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        const participant = await folder.participant()
        expect(await end(participant, round === 2 ? "SIGKILL" : "SIGTERM")).toBe(round === 2 ? null : 0)
      }
    }
    await Promise.all([rounds(), rounds(), rounds()])
    const last = await folder.participant()
    expect(await end(last, "SIGTERM")).toBe(0)
    expect(folder.serverPid()).toBeUndefined()
  })

  it("reports in one line why it cannot start", async () => {
    writeFileSync(folder.dataDir, "in the way")
    await expect(folder.participant()).rejects.toThrow(/The data folder .* cannot be made/)
    const refused = new Folder("of $HOME/data")
    await expect(refused.participant()).rejects.toThrow(/PostgreSQL starts in no folder .* set LAT_DATA_DIR/)
    expect(existsSync(refused.dataDir)).toBe(false)
    await refused.remove()
  })
})

describe("the embedded PostgreSQL, in a data folder that exists", () => {
  let folder: Folder

  beforeEach(() => {
    folder = Folder.existing()
  })

  afterEach(() => folder.remove())

  it("is stopped by the last process that ends, and started again by the next", async () => {
    const first = await folder.participant()
    const second = await folder.participant()
    expect(second.pid).toBe(first.pid)
    expect(await end(first, "SIGTERM")).toBe(0)
    expect(isAlive(first.pid)).toBe(true)
    expect(await end(second, "SIGTERM")).toBe(0)
    await expect.poll(() => isAlive(first.pid)).toBe(false)
    expect(folder.serverPid()).toBeUndefined()
    const third = await folder.participant()
    expect(third.pid).not.toBe(first.pid)
  })

  it("keeps running when its processes are killed, and can be joined again", async () => {
    const killed = await folder.participant()
    await end(killed, "SIGKILL")
    const next = await folder.participant()
    expect(next.pid).toBe(killed.pid)
    await end(next, "SIGTERM")
    await expect.poll(() => isAlive(killed.pid)).toBe(false)
  })

  it("recovers after the server was killed together with its processes", async () => {
    const first = await folder.participant()
    process.kill(first.pid, "SIGKILL")
    await end(first, "SIGKILL")
    expect(folder.serverPid()).toBe(first.pid)
    const next = await folder.participant()
    expect(next.pid).not.toBe(first.pid)
  })

  it("takes over a lock file that is empty or whose process id now belongs to another program", async () => {
    const { gid, uid } = statSync(join(folder.dataDir, "postgres"))
    // A process of the server's own user, which PostgreSQL takes for a server.
    const other = spawn("sleep", ["600"], { uid, gid, stdio: "ignore" })
    for (const name of ["data/postmaster.pid", "run/.s.PGSQL.5432.lock"]) {
      const lockFile = join(folder.dataDir, "postgres", name)
      for (const left of [`${other.pid}\n/somewhere\n1\n5432\n../run\n\n`, ""]) {
        writeFileSync(lockFile, left)
        chownSync(lockFile, uid, gid)
        utimesSync(lockFile, new Date(0), new Date(0))
        const next = await folder.participant()
        expect(next.pid).not.toBe(other.pid)
        await end(next, "SIGTERM")
      }
    }
    other.kill("SIGKILL")
  })

  it("is restarted for a running process when the server dies", async () => {
    const staying = await folder.participant()
    process.kill(staying.pid, "SIGKILL")
    await staying.says("is back")
    const joined = await folder.participant()
    expect(joined.pid).not.toBe(staying.pid)
    await end(joined, "SIGTERM")
    expect(isAlive(joined.pid)).toBe(true)
    await end(staying, "SIGTERM")
    await expect.poll(() => isAlive(joined.pid)).toBe(false)
  })

  it("stays stopped when an operator stopped it, until another process starts it", async () => {
    const staying = await folder.participant()
    expect(await Effect.runPromise(EmbeddedPostgres.stop(folder.dataDir, { staysDown: true }))).toBe(true)
    await expect.poll(() => isAlive(staying.pid)).toBe(false)
    await sleep(2_000)
    expect(folder.serverPid()).toBeUndefined()
    expect(await Effect.runPromise(EmbeddedPostgres.stop(folder.dataDir, { staysDown: true }))).toBe(false)
    const next = await folder.participant()
    await staying.says("is back")
    await end(next, "SIGTERM")
    expect(isAlive(next.pid)).toBe(true)
    expect(await Effect.runPromise(EmbeddedPostgres.status(folder.dataDir))).toMatchObject({
      created: true,
      running: true,
      pid: next.pid
    })
    await end(staying, "SIGTERM")
    await expect.poll(() => isAlive(next.pid)).toBe(false)
  })

  it("stays stopped when an operator says so while its processes are about to start it again", async () => {
    const staying = await folder.participant()
    const stopped = Effect.runPromise(EmbeddedPostgres.stop(folder.dataDir, { staysDown: false }))
    await staying.says("went away")
    // On a slow machine it would start the server before the operator says so.
    staying.process.kill("SIGSTOP")
    expect(await stopped).toBe(true)
    expect(await Effect.runPromise(EmbeddedPostgres.stop(folder.dataDir, { staysDown: true }))).toBe(false)
    staying.process.kill("SIGCONT")
    await sleep(3_000)
    expect(folder.serverPid()).toBeUndefined()
    const next = await folder.participant()
    await staying.says("is back")
    await end(next, "SIGTERM")
    await end(staying, "SIGTERM")
    await expect.poll(() => isAlive(next.pid)).toBe(false)
  })

  it("listens on no TCP port, only on a socket that its user and root can reach", async () => {
    const { socketDir } = await folder.participant()
    expect(folder.serverLog()).not.toMatch(/listening on IP/)
    expect(statSync(socketDir).mode & 0o777).toBe(0o700)
    expect(existsSync(join(socketDir, ".s.PGSQL.5432"))).toBe(true)
  })

  it("reports why it cannot start from its own log or from the output of its programs", async () => {
    const [noLog, badLock, noOutput] = [folder, Folder.existing(), Folder.existing()]
    const pathIn = ({ dataDir }: Folder, path: string): string => join(dataDir, "postgres", path)
    const wal = pathIn(noLog, "data/pg_wal")
    const { gid, uid } = statSync(wal)
    rmSync(wal, { recursive: true })
    mkdirSync(wal)
    chownSync(wal, uid, gid)
    writeFileSync(pathIn(badLock, "data/postmaster.pid"), "junk")
    chmodSync(pathIn(noOutput, "start.log"), 0)
    const refused = (of: Folder, why: RegExp) => expect(of.participant()).rejects.toThrow(why)
    try {
      // Beside one another, since each tries for half a minute.
      await Promise.all([
        refused(noLog, /does not start: could not locate a valid checkpoint record/),
        refused(badLock, /does not start: pg_ctl: invalid data in PID file/),
        refused(noOutput, /does not start: .*start\.log: Permission denied/)
      ])
    } finally {
      await Promise.all([badLock.remove(), noOutput.remove()])
    }
  })

  it("reports why a running server refuses connections", async () => {
    const { socketDir } = await folder.participant()
    const client = new pg.Client({ host: socketDir, user: "lat", database: "template1" })
    await client.connect()
    await client.query("alter database postgres allow_connections false")
    await client.end()
    await expect(folder.participant()).rejects.toThrow(
      /cannot be used: it refuses connections: database "postgres" is not currently accepting connections/
    )
  })
})

describe("the data folder", () => {
  it.each([`${"long/".repeat(30)}data`, "Doe, Jane/data"])("may have a path unfit for a socket: %s", async (name) => {
    const folder = new Folder(name)
    // Something may empty the folder for temporary files, in which Linux needs nothing.
    if (process.platform === "linux") vi.stubEnv("TMPDIR", join(folder.parent, "missing"))
    try {
      const [first, second] = await Promise.all([folder.participant(), folder.participant()])
      expect(first.socketDir.length).toBeLessThan(90)
      expect(first.socketDir).not.toContain(",")
      expect(second.pid).toBe(first.pid)
      await Promise.all([end(first, "SIGTERM"), end(second, "SIGTERM")])
      expect(existsSync(first.socketDir)).toBe(false)
      await expect.poll(() => isAlive(first.pid)).toBe(false)
    } finally {
      vi.unstubAllEnvs()
      await folder.remove()
    }
  })

  it.runIf(isRoot)("may be where only root has access, and keeps the owner of existing files", async () => {
    const folder = new Folder("with spaces and 'quotes'/data")
    try {
      mkdirSync(folder.dataDir, { recursive: true })
      writeFileSync(join(folder.dataDir, "mine.txt"), "mine")
      chmodSync(folder.parent, 0o700)
      const first = await folder.participant()
      expect(statSync(folder.dataDir).uid).toBe(0)
      expect(statSync(join(folder.dataDir, "postgres")).uid).not.toBe(0)
      expect(statSync(join(folder.dataDir, "mine.txt")).uid).toBe(0)
      await end(first, "SIGTERM")
      await expect.poll(() => isAlive(first.pid)).toBe(false)
    } finally {
      await folder.remove()
    }
  })

  it.runIf(isRoot)("stays root's when it is empty, and is accessible to the user of the server", async () => {
    const folder = new Folder()
    try {
      mkdirSync(folder.dataDir)
      chmodSync(folder.parent, 0o755)
      await folder.participant()
      expect(statSync(folder.dataDir).uid).toBe(0)
      expect(statSync(join(folder.dataDir, "postgres")).uid).not.toBe(0)
    } finally {
      await folder.remove()
    }
  })
})
