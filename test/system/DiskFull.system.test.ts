import { execFileSync, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, rmdirSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import pg from "pg"
import { lat, newKey, root, serve } from "./Release.ts"

const folder = mkdtempSync(join(tmpdir(), "lat-disk-"))
const disk = join(folder, "disk")
mkdirSync(disk)
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", disk]).status === 0
if (!mounted) process.stderr.write("NOT TESTED: a disk that is full, since no file system can be mounted here.\n")

afterAll(() => {
  if (mounted) execFileSync("umount", ["-l", disk])
  rmdirSync(disk)
  rmSync(folder, { recursive: true })
})

const mebibyte = 1_048_576
const ann = "ann@example.com"
const unlimited = ["--rate-limit", "1000000"]
/** Text that the server cannot compress. */
const randomText = (): string => randomBytes(4_500).toString("hex")
const free = (): number => {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}

describe.runIf(mounted)("a disk that is full", () => {
  it("refuses writes with 507, still serves reads, and accepts writes again when there is space", async () => {
    const variables = { LAT_DATA_DIR: join(disk, "data"), LAT_MIN_FREE_BYTES: String(16 * mebibyte) }
    const server = await serve(root, variables)
    try {
      lat(root, variables, ["account", "create", "--email", ann])
      const key = newKey(root, variables, ann, unlimited)
      const ask = async (method: string, path: string, body?: unknown) => {
        const response = await fetch(`${server.url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        return { status: response.status, body: (await response.json()) as { error?: string } }
      }
      /** Repeats the request, since the last measurement of free space may still be in use. */
      const until = async (status: number, method: string, path: string, body: unknown) => {
        let answer = await ask(method, path, body)
        while (answer.status !== status) answer = await ask(method, path, body)
        return answer
      }
      const thing = { text: "one more", list: "today" }
      expect((await ask("POST", "/things", thing)).status).toBe(201)

      const filler = join(disk, "filler")
      writeFileSync(filler, Buffer.alloc(free() - 8 * mebibyte))
      const refused = await until(507, "POST", "/things", thing)
      expect(String(refused.body.error)).toMatch(/disk is full; nothing was changed/)
      const bulk = await ask("POST", "/things/bulk", { items: [thing], list: "today" })
      expect(bulk.status).toBe(507)
      expect((await ask("GET", "/today")).status).toBe(200)
      expect((await ask("GET", "/search?query=more")).status).toBe(200)
      const said = server.said().split("\n")
      expect(said.filter((line) => line.includes("LAT_MIN_FREE_BYTES: writes are refused")).length).toBe(1)
      expect(() => lat(root, variables, ["thing", "add", "by hand", "--account", ann])).toThrow(
        /The server's disk is full/
      )

      rmSync(filler)
      await until(201, "POST", "/things", thing)
      expect(server.said()).toContain("writes are accepted")
    } finally {
      await server.stop()
    }
  })

  it("without a reserve, refuses writes with 503 or 507, and accepts them again when there is space", async () => {
    const variables = { LAT_DATA_DIR: join(disk, "data"), LAT_MIN_FREE_BYTES: "0" }
    const server = await serve(root, variables)
    try {
      const key = newKey(root, variables, ann, unlimited)
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const post = async () => {
        const body = JSON.stringify({
          list: "today",
          items: Array.from({ length: 200 }, () => ({ text: randomText() }))
        })
        return (await fetch(`${server.url}/api/v1/things/bulk`, { method: "POST", headers, body })).status
      }
      const filler = join(disk, "filler")
      writeFileSync(filler, Buffer.alloc(free() - 2 * mebibyte))
      const seen = new Set<number>()
      for (let at = 0; at < 8; at++) seen.add(await post())
      expect(seen.has(507) || seen.has(503), [...seen].join()).toBe(true)
      for (const status of seen) expect([201, 503, 507]).toContain(status)
      rmSync(filler)
      while ((await post()) !== 201);
    } finally {
      await server.stop()
    }
  })

  it("is named as the reason why PostgreSQL does not start, and it starts when there is space", () => {
    const variables = { LAT_DATA_DIR: join(disk, "data"), LAT_MIN_FREE_BYTES: "0" }
    lat(root, variables, ["db", "stop", "--yes"])
    const filler = join(disk, "filler")
    writeFileSync(filler, Buffer.alloc(free()))
    expect(() => lat(root, variables, ["account", "list"])).toThrow(/does not start: only 0 MiB are free on its disk/)
    rmSync(filler)
    expect(lat(root, variables, ["account", "list"])).toContainEqual(expect.objectContaining({ email: ann }))
  })

  it("is named as the reason why a running PostgreSQL refuses connections", async () => {
    const variables = { LAT_DATA_DIR: join(disk, "data"), LAT_MIN_FREE_BYTES: "0" }
    const server = await serve(root, variables)
    const filler = join(disk, "filler")
    const admit = async (isAdmitted: boolean) => {
      const client = new pg.Client({ host: join(disk, "data/postgres/run"), user: "lat", database: "template1" })
      await client.connect()
      await client.query(`alter database postgres allow_connections ${isAdmitted}`)
      await client.end()
    }
    try {
      await admit(false)
      writeFileSync(filler, Buffer.alloc(free() - 8 * mebibyte))
      expect(() => lat(root, variables, ["account", "list"])).toThrow(
        /refuses connections: only \d+ MiB are free on its disk: make room there/
      )
    } finally {
      rmSync(filler)
      await admit(true)
      await server.stop()
    }
  })

  it("is named as the reason why the first start fails, and it succeeds when there is space", () => {
    const filler = join(disk, "filler")
    writeFileSync(filler, Buffer.alloc(free() - 5 * mebibyte))
    const variables = { LAT_DATA_DIR: join(disk, "other"), LAT_MIN_FREE_BYTES: "0" }
    expect(() => lat(root, variables, ["account", "list"])).toThrow(/No space left on device/)
    rmSync(filler)
    expect(lat(root, variables, ["account", "list"])).toStrictEqual([])
  })
})
