import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as EmbeddedPostgres from "../../src/embedded/EmbeddedPostgres.ts"
import { readPlainFile } from "../../src/embedded/PlainFile.ts"
import { isAlive } from "../../src/embedded/ProcessState.ts"
import { end, Folder, sleep } from "./Participants.ts"
import { heardBy } from "./Stranger.ts"

const isRoot = process.getuid?.() === 0
if (!isRoot) process.stderr.write("NOT TESTED: what the server's user can make root do, since this is not root.\n")

const stranger = 4_242
const initialRules = `# TYPE  DATABASE        USER            ADDRESS                 METHOD
local   all             all                                     trust
host    all             all             127.0.0.1/32            trust
`

describe.runIf(isRoot)("started as root", () => {
  let folder: Folder
  let home: string
  let victim: string
  let serverUid: number

  /** A copy of the folder of a server that ran, and beside it files of root. */
  beforeEach(() => {
    folder = Folder.existing()
    chmodSync(folder.parent, 0o755)
    home = join(folder.dataDir, "postgres")
    victim = join(folder.parent, "victim")
    mkdirSync(victim, { mode: 0o755 })
    writeFileSync(join(victim, "file"), "precious")
    serverUid = statSync(home).uid
    expect(serverUid).not.toBe(0)
  })

  afterEach(() => folder.remove())

  const victimIsUntouched = (): void => {
    const { uid, mode } = statSync(victim)
    expect([uid, mode & 0o7777]).toEqual([0, 0o755])
    expect(readdirSync(victim)).toEqual(["file"])
    expect(statSync(join(victim, "file")).uid).toBe(0)
    expect(readFileSync(join(victim, "file"), "utf8")).toBe("precious")
  }

  const linkInPlaceOf = (path: string, to: string): void => {
    rmSync(path, { recursive: true, force: true })
    symlinkSync(to, path)
  }

  it("refuses a link in place of run, and does not change its target", async () => {
    linkInPlaceOf(join(home, "run"), victim)
    await expect(folder.participant()).rejects.toThrow(/run in .* is a symbolic link, which is not followed/)
    victimIsUntouched()
  })

  it.for(["", "/data"])("refuses a link in place of postgres%s", async (part) => {
    linkInPlaceOf(`${home}${part}`, victim)
    await expect(folder.participant()).rejects.toThrow(/is a symbolic link/)
    victimIsUntouched()
  })

  it("marks the server as stopped without writing through a link", async () => {
    const running = await folder.participant()
    linkInPlaceOf(join(home, "stopped"), join(victim, "file"))
    expect(await Effect.runPromise(EmbeddedPostgres.stop(folder.dataDir, { staysDown: true }))).toBe(true)
    await expect.poll(() => isAlive(running.pid)).toBe(false)
    expect(lstatSync(join(home, "stopped")).isFile()).toBe(true)
    victimIsUntouched()
  })

  it("removes leftovers of a killed process without following links", async () => {
    rmSync(join(home, "data"), { recursive: true })
    symlinkSync(victim, join(home, "data.new-999999999"))
    await folder.participant()
    expect(readdirSync(home)).not.toContain("data.new-999999999")
    victimIsUntouched()
  })

  it("reads the server's files only if they are plain files", async () => {
    const path = join(home, "start.log")
    expect(await readPlainFile(path)).toContain("LOG:")
    linkInPlaceOf(path, join(victim, "file"))
    await expect(readPlainFile(path)).rejects.toThrow("ELOOP")
    rmSync(path)
    execFileSync("mkfifo", [path])
    await expect(readPlainFile(path)).rejects.toThrow("is not a plain file")
  })

  it("takes back ownership of a data folder that an earlier version gave to the server's user", async () => {
    chownSync(folder.dataDir, serverUid, serverUid)
    chmodSync(folder.dataDir, 0o700)
    await folder.participant()
    const { uid, mode } = statSync(folder.dataDir)
    expect([uid, mode & 0o7777]).toEqual([0, 0o711])
  })

  it("restricts folders that are open to every user", async () => {
    for (const path of [folder.dataDir, home, join(home, "run"), join(home, "data")]) chmodSync(path, 0o777)
    const running = await folder.participant()
    await running.says("closed to them now")
    expect(statSync(folder.dataDir).mode & 0o022).toBe(0)
    for (const path of [home, join(home, "run"), join(home, "data")]) expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it("refuses a folder that contains other files and is open to every user", async () => {
    writeFileSync(join(folder.dataDir, "notes.txt"), "mine")
    chmodSync(folder.dataDir, 0o777)
    await expect(folder.participant()).rejects.toThrow(/mode 0777\): run chmod go-w /)
    expect(statSync(folder.dataDir).mode & 0o777).toBe(0o777)
  })

  it("refuses a cluster that belongs to another user than its folder", async () => {
    chownSync(join(home, "data"), stranger, stranger)
    await expect(folder.participant()).rejects.toThrow(/must belong to \w+, as .* does: run chown -R/)
  })

  it("refuses a folder that belongs to root entirely, as after a copy by root, and names the remedy", async () => {
    execFileSync("chown", ["-R", "0:0", folder.dataDir])
    await expect(folder.participant()).rejects.toThrow(
      /postgres\/data belongs to root, as whom PostgreSQL does not run: run chown -R \w+ \/.*\/postgres/
    )
    execFileSync("chown", ["-R", String(serverUid), home])
    await folder.participant()
  })

  it("admits no other users, also when its server runs with the rules of an earlier version", async () => {
    const before = await folder.participant()
    const open = (): void => {
      for (const path of [home, join(home, "run")]) chmodSync(path, 0o755)
    }
    writeFileSync(join(home, "data", "pg_hba.conf"), initialRules)
    chownSync(join(home, "data", "pg_hba.conf"), serverUid, serverUid)
    process.kill(before.pid, "SIGHUP")
    open()
    const socketDir = join(home, "run")
    while (!heardBy(stranger, socketDir).startsWith("R")) await sleep(20)

    const after = await folder.participant()
    expect(after.pid).toBe(before.pid)
    expect(heardBy(stranger, socketDir)).toBe("EACCES")
    open()
    while (heardBy(stranger, socketDir).startsWith("R")) await sleep(20)
    expect(heardBy(stranger, socketDir)).toMatch(/^E.*Peer authentication failed for user "lat"/)
    for (const uid of [0, serverUid]) expect(heardBy(uid, socketDir)).toMatch(/^R/)
    expect(await end(before, "SIGTERM")).toBe(0)
    expect(await end(after, "SIGTERM")).toBe(0)
    await expect.poll(() => isAlive(after.pid)).toBe(false)
  })

  it("keeps access rules that an operator wrote", async () => {
    const rules = `local all all peer map=lat\nlocal all all scram-sha-256\n`
    const path = join(home, "data", "pg_hba.conf")
    writeFileSync(path, rules)
    chownSync(path, serverUid, serverUid)
    await folder.participant()
    expect(readFileSync(path, "utf8")).toBe(rules)
  })
})
