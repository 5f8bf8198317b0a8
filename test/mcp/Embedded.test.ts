import { execFile } from "node:child_process"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { clientKinds, type Json, overStdio, root } from "./Clients.ts"
import { useEveryTool } from "./EveryTool.ts"

const run = promisify(execFile)
let folder: string

const env = () => ({ LAT_STORAGE: "postgres", LAT_DATA_DIR: folder })

const lat = async (...args: ReadonlyArray<string>): Promise<Json> => {
  const { stdout } = await run(join(root, "node_modules/.bin/node"), [join(root, "bin/lat.mjs"), ...args, "--json"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env() }
  })
  return JSON.parse(stdout)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lat-mcp-"))
  // PostgreSQL runs as another user when this one is root.
  await chmod(folder, 0o755)
  await lat("account", "create", "--email", "anna@example.com", "--timezone", "Europe/Vienna")
})
afterAll(async () => {
  await lat("db", "stop", "--stay-down", "--yes").catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

it("on the embedded database the one account is the caller, and every tool works", async () => {
  const mcp = await overStdio(clientKinds[0], { env: env() })
  await useEveryTool(mcp)
  await mcp.close()
})

it("undo without an id and without a key takes back what a tool did, not what the owner typed since", async () => {
  const mcp = await overStdio(clientKinds[0], { env: env() })
  const { thing } = await mcp.ok("create_thing", { text: "Of the assistant" })
  await lat("thing", "add", "Of the owner")
  const { undone } = await mcp.ok("undo")
  await mcp.close()
  expect([undone.surface, undone.summary]).toEqual(["mcp", expect.stringContaining(thing.text)])
  expect((await lat("thing", "list")).map((each: Json) => each.text)).toContain("Of the owner")
})

it("among several accounts LAT_ACCOUNT names the caller", async () => {
  await lat("account", "create", "--email", "bert@example.com", "--timezone", "Asia/Tokyo")
  const mcp = await overStdio(clientKinds[0], { env: { ...env(), LAT_ACCOUNT: "bert@example.com" } })
  expect((await mcp.ok("get_today", {})).timezone).toBe("Asia/Tokyo")
  await mcp.close()
})

it("with a key the process may do what the key may", async () => {
  const { key } = await lat("key", "create", "--account", "anna@example.com", "--scopes", "read:lists,search")
  const mcp = await overStdio(clientKinds[2], { env: { ...env(), LAT_API_KEY: key } })
  expect(mcp.tools.map((tool) => tool.name)).toEqual(["list_lists", "get_list", "get_today", "search"])
  expect((await mcp.ok("get_today", { date: "2030-05-01" })).timezone).toBe("Europe/Vienna")
  await mcp.close()
})
