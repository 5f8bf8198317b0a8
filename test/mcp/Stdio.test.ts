import { spawn } from "node:child_process"
import { join } from "node:path"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { type StdioIdentity, stdioSession } from "@lists-and-things/mcp/stdio/Stdio"
import { callTool } from "@lists-and-things/mcp/ToolCalls"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { hasTerminals, onTerminal } from "../cli/OnTerminal.ts"
import { overStdio, root } from "./Clients.ts"
import { inMemory } from "./InMemory.ts"

const own: StdioIdentity = { apiKey: undefined, account: undefined, ownsData: true }
const refused = (identity: StdioIdentity) => Effect.map(Effect.flip(stdioSession(identity)), (error) => error.message)

describe("on whose behalf a process speaks", () => {
  it.effect("the only account there is, with all scopes; several need a name, none says how to make one", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      expect(yield* refused(own)).toMatch(/no account yet.*lat account create/)
      const anna = yield* accounts.create({ email: "anna@example.com" })
      const session = yield* stdioSession(own)
      const caller = yield* session.identify
      expect([caller.account.id, caller.scopes.size]).toEqual([anna.id, 5])

      yield* TestClock.adjust("1 second")
      const bert = yield* accounts.create({ email: "bert@example.com" })
      expect(yield* refused(own)).toMatch(/several accounts.*--account.*anna@example\.com, bert@example\.com\./)
      for (const account of [bert.id, "bert@example.com"]) {
        const { identify } = yield* stdioSession({ ...own, account })
        expect((yield* identify).account.id).toBe(bert.id)
      }
      expect(yield* refused({ ...own, account: "nobody@example.com" })).toBe("No account is nobody@example.com.")
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("sees a change of the account at its next call", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { id } = yield* accounts.create({ email: "anna@example.com" })
      const session = yield* stdioSession(own)
      yield* accounts.update(id, { timezone: "Asia/Tokyo" })
      expect((yield* session.identify).account.timezone).toBe("Asia/Tokyo")
      yield* accounts.remove(id)
      expect((yield* Effect.flip(session.identify))._tag).toBe("Unauthorized")
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("on a database of others a key is needed, and a wrong one is refused at once", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* accounts.create({ email: "anna@example.com" })
      expect(yield* refused({ ...own, ownsData: false })).toMatch(/^Set LAT_API_KEY/)
      expect(yield* refused({ ...own, apiKey: "lat_x_y" })).toMatch(/LAT_API_KEY is not a valid API key/)
    }).pipe(Effect.provide(inMemory))
  )
})

describe("a key over stdio", () => {
  it.effect("has its limit, its scopes and its end, each as a result that says so", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const account = yield* accounts.create({ email: "anna@example.com" })
      const make = (rateLimit: number) => keys.create({ account: account.id, scopes: ["read:things"], rateLimit })
      const call = Effect.fnUntraced(function* (apiKey: string, name: string, args: object = {}) {
        const session = yield* stdioSession({ ...own, apiKey })
        const result = yield* callTool(allTools, session, name, args)
        const [first] = result.content
        return { isError: result.isError === true, text: first?.type === "text" ? first.text : "" }
      })

      const { token } = yield* make(2)
      expect((yield* call(token, "list_tags")).isError).toBe(false)
      const forbidden = yield* call(token, "create_list", { title: "x" })
      expect(forbidden).toEqual({
        isError: true,
        text: "create_list needs the scope write:lists, which this key does not have. Ask the owner for a key with it."
      })
      const over = yield* call(token, "list_tags")
      expect(over.isError).toBe(true)
      expect(over.text).toMatch(/More than 2 requests in this hour: wait until .* That is in \d+ seconds\./)

      const other = yield* make(10)
      const session = yield* stdioSession({ ...own, apiKey: other.token })
      yield* keys.revoke(other.key.id)
      const ended = yield* callTool(allTools, session, "list_tags", {})
      expect([ended.isError, ended.content[0]]).toEqual([
        true,
        { type: "text", text: "The API key is not valid any more. Ask the owner for a new one." }
      ])
    }).pipe(Effect.provide(inMemory))
  )
})

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (
  args: ReadonlyArray<string>,
  input: string | Uint8Array = "",
  env: Record<string, string> = {},
  ends: "at once" | "later" = "later"
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(join(root, "node_modules/.bin/node"), [join(root, "bin/lat-mcp.mjs"), ...args], {
      env: { PATH: process.env["PATH"] ?? "", LAT_STORAGE: "memory", ...env }
    })
    const out = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk: Buffer) => (out.stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (out.stderr += chunk.toString()))
    child.once("error", reject).once("close", (code) => resolve({ code, ...out }))
    child.stdin.write(input)
    if (input.length === 0 || ends === "at once") child.stdin.end()
    else child.stdout.once("data", () => child.stdin.end())
  })

describe("the program", () => {
  it("ends when its client does, and writes nothing but the protocol to stdout", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params }
    const { code, stdout } = await run([], `${JSON.stringify(hello)}\nthis is no message\n`, { LAT_LOG: "debug" })
    expect(code).toBe(0)
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    for (const { jsonrpc } of answers) expect(jsonrpc).toBe("2.0")
    expect(answers.find(({ id }) => id === 1).result.serverInfo.name).toBe("lists-and-things")
  })

  it("answers requests that were sent before the client closed its end", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const call = { name: "create_thing", arguments: { text: "piped" } }
    const messages = [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      ...[2, 3, 4].map((id) => ({ id, method: "tools/call", params: call })),
      { id: 5, method: "no/such" }
    ]
    const input = messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })).join("\n")
    const { code, stdout } = await run([], input, {}, "at once")
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; result?: object })
    expect(code).toBe(0)
    expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
    for (const { id, result } of answers.filter((each) => each.id > 1 && each.id < 5)) {
      expect([id, result]).toEqual([id, expect.objectContaining({ structuredContent: expect.anything() })])
    }
  })

  it("refuses each line that is not a message, with its id, and continues", async () => {
    const lines = [
      [`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32_600, null, "and not a batch"],
      [`{"hello":"world"}`, -32_600, null, "one JSON-RPC message"],
      [`{"jsonrpc":"2.0","id":2,"method":"ping","params":7}`, -32_600, 2, "one JSON-RPC message"],
      [`{"id":"three","method":"ping"}`, -32_600, "three", "one JSON-RPC message"],
      [`{"jsonrpc":"2.0",`, -32_700, null, "valid JSON"],
      [Buffer.from([0x22, 0xff, 0x22]), -32_700, null, "valid UTF-8"],
      [`${"[".repeat(65)}${"]".repeat(65)}`, -32_700, null, "64 levels"],
      [`"${"x".repeat(10 * 1024 * 1024)}"`, -32_600, null, "at most 10485760 bytes"]
    ] as const
    const good = ["", "\uFEFF" + JSON.stringify({ jsonrpc: "2.0", id: 9, method: "no/such", params: null })]
    const input = [...lines.map(([line]) => line), ...good].flatMap((line) => [Buffer.from(line), Buffer.from("\n")])
    const { code, stdout } = await run([], Buffer.concat(input), {}, "at once")
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: unknown })
    const refused = lines.map(([, code, id, part]) => {
      return { jsonrpc: "2.0", id, error: { code, message: expect.stringContaining(part) } }
    })
    expect([code, answers.filter(({ id }) => id !== 9)]).toEqual([0, refused])
    expect(answers.at(-1)).toMatchObject({ id: 9, error: { code: -32_601 } })
  })

  it("prints its usage, and names a wrong option in one line", async () => {
    expect((await run(["--help"])).stdout).toMatch(/^Usage: lat-mcp/)
    const cases = [
      [["--reed-only"], /--reed-only/],
      [["--tools", "serach"], /--tools names no tool 'serach': did you mean search\?/],
      [
        ["--http", "--port", "x"],
        /^--port: expected a whole number from 0 to 65535, not "x", for instance --port 3001$/m
      ],
      [["--account", "nobody"], /No account is nobody/],
      [["--read-only", "--tools", "undo"], /--tools leaves no tool\. For example --tools list_lists,get_list$/m],
      [["--port", "3999"], /^--port and --host are for --http$/m],
      [
        ["--http", "--account", "you@localhost"],
        /^--account is for standard input; over HTTP every request has an API key$/m
      ]
    ] as const
    for (const [args, line] of cases) {
      const { code, stdout, stderr } = await run(args)
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(line)
    }
  })

  it.runIf(hasTerminals)("says on a terminal what it waits for", async () => {
    const words = [join(root, "node_modules/.bin/node"), join(root, "bin/lat-mcp.mjs")]
    const terminal = onTerminal(words, { env: { PATH: process.env["PATH"] ?? "", LAT_STORAGE: "memory" } })
    await terminal.sees(
      /Waiting for an AI client on standard input\. To connect one: .*lat(?:\.mjs)? setup --assistant NAME;/
    )
    terminal.type("\u0004")
    expect(await terminal.ended).toBe(0)
  })

  it("serves only /mcp over HTTP with --http, and ends on SIGTERM", async () => {
    const node = join(root, "node_modules/.bin/node")
    const child = spawn(node, [join(root, "bin/lat-mcp.mjs"), "--http", "--port", "0"], {
      env: { PATH: process.env["PATH"] ?? "", LAT_STORAGE: "memory" }
    })
    const address = await new Promise<string>((resolve) => {
      let said = ""
      child.stderr.on("data", (chunk: Buffer) => {
        const found = /http:\S+\/mcp/.exec((said += chunk.toString()))
        if (found !== null) resolve(found[0].replace("localhost", "127.0.0.1"))
      })
    })
    const response = await fetch(address, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" }
    })
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toContain(`:${new URL(address).port}/.well-known/`)
    child.kill("SIGTERM")
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0)
  })

  it("narrows its tools", async () => {
    const names = async (...args: ReadonlyArray<string>) => {
      const mcp = await overStdio("present SDK, 2026-07-28", { args })
      await mcp.close()
      return mcp.tools.map((tool) => tool.name)
    }
    expect(await names("--tools", "search,get_list", "--read-only")).toEqual(["get_list", "search"])
    expect(await names("--no-delete")).toHaveLength(24)
  })
})
