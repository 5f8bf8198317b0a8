import { describe, expect, it } from "@effect/vitest"
import { type Assistant, assistants, type Entry, type Machine, mergeEntry } from "../src/commands/setup/Assistants.ts"

const entry: Entry = { command: "/usr/bin/node", args: ["/opt/lists/bin/lat-mcp.mjs"], env: {} }
const { "claude-code": code, "claude-desktop": desktop, cursor, vscode } = assistants

const merged = (text: string | undefined, assistant: Assistant, given = entry): string => {
  const result = mergeEntry(text, assistant, given)
  return result._tag === "Merged" ? result.text : expect.fail(`${result.reason} ${result.line}:${result.column}`)
}

const ofServer = (text: string, assistant: Assistant): unknown =>
  (JSON.parse(text) as Record<string, Record<string, unknown>>)[assistant.section]?.["lists-and-things"]

describe("the settings of an assistant", () => {
  it.each([
    ["darwin", desktop, "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"],
    ["darwin", vscode, "/Users/ann/Library/Application Support/Code/User/mcp.json"],
    ["darwin", cursor, "/Users/ann/.cursor/mcp.json"],
    ["linux", assistants["gemini-cli"], "/Users/ann/.gemini/settings.json"],
    ["linux", desktop, "/Users/ann/.config/Claude/claude_desktop_config.json"],
    ["linux", vscode, "/Users/ann/.config/Code/User/mcp.json"],
    ["linux", code, "/Users/ann/.claude.json"]
  ] as const)("are, on %s, in the file that the assistant reads", (platform, assistant, path) => {
    const machine: Machine = { platform, environment: {}, home: "/Users/ann" }
    expect(assistant.file(machine)).toBe(path)
  })

  it("are in the folder that the environment names", () => {
    const machine: Machine = {
      platform: "linux",
      environment: { XDG_CONFIG_HOME: "/x/config", CLAUDE_CONFIG_DIR: "/x/claude" },
      home: "/home/ann"
    }
    expect([desktop.file(machine), code.file(machine)]).toEqual([
      "/x/config/Claude/claude_desktop_config.json",
      "/x/claude/.claude.json"
    ])
  })

  it.each([undefined, "", " \n", "{}", "{\n}\n"])("are created if the file is missing or empty: %j", (text) => {
    expect(ofServer(merged(text, desktop), desktop)).toEqual({ command: entry.command, args: entry.args })
    expect(ofServer(merged(text, vscode), vscode)).toEqual({ type: "stdio", command: entry.command, args: entry.args })
  })

  it("keep all other text unchanged", () => {
    const text = `{\r\n\t"theme":"dark",   "list": [1,2,  3],\r\n\t"mcpServers": {\r\n\t\t"other": {"command":"x"}\r\n\t}\r\n}\r\n`
    expect(merged(text, cursor)).toBe(
      `{\r\n\t"theme":"dark",   "list": [1,2,  3],\r\n\t"mcpServers": {\r\n\t\t"other": {"command":"x"},\r\n\t\t"lists-and-things": {\r\n\t\t\t"command": "/usr/bin/node",\r\n\t\t\t"args": [\r\n\t\t\t\t"/opt/lists/bin/lat-mcp.mjs"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n`
    )
  })

  it("keep comments, trailing commas and the byte order mark if the assistant accepts them", () => {
    const text = `\ufeff{\n  // mine\n  "servers": {\n    "other": { "command": "x", }, /* last */\n  },\n}\n`
    const after = merged(text, vscode)
    for (const part of [
      "\ufeff{",
      "// mine",
      '"other": { "command": "x", }',
      "/* last */",
      "/opt/lists/bin/lat-mcp.mjs"
    ])
      expect(after).toContain(part)
    expect(mergeEntry(after, vscode, entry)).toMatchObject({ _tag: "Merged", isChanged: false, text: after })
  })

  it.each([
    ["{ // mine\n}", vscode],
    ['{"servers": {/* none */}}', vscode],
    ['{"mcpServers":{"other":{"command":"x"}}}', desktop],
    ['{"mcpServers":{"lists-and-things":null}}', desktop],
    ['{"numbers":[1]}', cursor]
  ] as const)("stay readable, with other text kept, whatever their formatting: %j", (text, assistant) => {
    const once = merged(text, assistant)
    expect(mergeEntry(once, assistant, entry)).toMatchObject({ _tag: "Merged", isChanged: false, text: once })
    for (const part of ["// mine", "/* none */", '{"command":"x"}', "[1]"])
      if (text.includes(part)) expect(once).toContain(part)
  })

  it("do not change when the same entry is merged again", () => {
    const once = merged('{"mcpServers":{}}', desktop)
    expect(mergeEntry(once, desktop, entry)).toMatchObject({ isChanged: false, text: once })
  })

  it("keep a person's additions to the entry, and get the new command, path, account and data folder", () => {
    const text = JSON.stringify({
      mcpServers: {
        "lists-and-things": {
          command: "node",
          args: ["/old/bin/lat-mcp.mjs", "--no-delete", "--account", "old@example.com"],
          env: { LAT_API_KEY: "lat_x", LAT_DATA_DIR: "/old" },
          disabled: true
        }
      }
    })
    const given: Entry = {
      ...entry,
      args: ["/opt/lists/bin/lat-mcp.mjs", "--account", "ann@example.com"],
      env: { LAT_DATA_DIR: "/new" }
    }
    expect(ofServer(merged(text, cursor, given), cursor)).toEqual({
      command: "/usr/bin/node",
      args: ["/opt/lists/bin/lat-mcp.mjs", "--account", "ann@example.com", "--no-delete"],
      env: { LAT_API_KEY: "lat_x", LAT_DATA_DIR: "/new" },
      disabled: true
    })
  })

  it.each([
    [{ command: "lat-mcp", args: ["--read-only"] }, ["--read-only"]],
    [{ command: "/usr/local/bin/lat-mcp", args: ["--tools", "search,fetch"] }, ["--tools", "search,fetch"]],
    [{ command: "node", args: ["/src/bin/lat-mcp.ts", "--no-delete"] }, ["--no-delete"]],
    [{ command: "lat-mcp.cmd", args: ["--account=old@example.com", "--read-only"] }, ["--read-only"]],
    [{ command: "other", args: ["--read-only"] }, []]
  ])("keep the options of %j, which restrict the assistant", (before, options) => {
    const text = JSON.stringify({ mcpServers: { "lists-and-things": before } })
    const args = [...entry.args, "--account", "ann@example.com"] as const
    expect(ofServer(merged(text, desktop, { ...entry, args }), desktop)).toEqual({
      command: entry.command,
      args: [...args, ...options]
    })
  })

  it.each([
    [code, { type: "http", url: "http://localhost:3000/mcp", headers: { Authorization: "Bearer lat_x" } }],
    [vscode, { type: "http", url: "http://localhost:3000/mcp", headers: { Authorization: "Bearer lat_x" } }],
    [cursor, { url: "http://localhost:3000/mcp", headers: { Authorization: "Bearer lat_x" } }],
    [assistants["gemini-cli"], { httpUrl: "http://localhost:3000/mcp", headers: { Authorization: "Bearer lat_x" } }]
  ])("start the server in place of asking one at an address, which the entry had: %o %j", (assistant, before) => {
    const text = JSON.stringify({ [assistant.section]: { "lists-and-things": { ...before, disabled: true } } })
    expect(ofServer(merged(text, assistant), assistant)).toEqual({
      ...(assistant.isTyped && { type: "stdio" }),
      command: entry.command,
      args: entry.args,
      disabled: true
    })
  })

  it.each([
    ['{\n  "a": 1,\n  "b" 2\n}', desktop, 3, 7, /colon expected/],
    ['{\n  "a": 1,\n}', desktop, 3, 1, /expected/],
    ['{\n  // mine\n  "a": 1\n}', desktop, 2, 3, /comment/],
    ["[]", desktop, 1, 1, /an object is wanted/],
    ['{\n  "mcpServers": []\n}', cursor, 2, 17, /"mcpServers" must be an object/],
    ["not json", vscode, 1, 1, /invalid symbol/],
    ["{} trailing", code, 1, 4, /invalid symbol/]
  ])("are refused with line and column if they cannot be parsed: %j", (text, assistant, line, column, reason) => {
    expect(mergeEntry(text, assistant, entry)).toEqual({
      _tag: "Refused",
      line,
      column,
      reason: expect.stringMatching(reason) as string
    })
  })
})
