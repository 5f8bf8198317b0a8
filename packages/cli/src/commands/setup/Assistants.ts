import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  parseTree,
  type ParseError,
  printParseErrorCode
} from "jsonc-parser"
import { homedir } from "node:os"
import { isDeepStrictEqual } from "node:util"
import { join } from "node:path"
import { type AssistantName, serverName } from "./Programs.ts"

export interface Assistant {
  readonly title: string
  /** The member of the file that holds the servers, by name. */
  readonly section: "mcpServers" | "servers"
  /** Whether an entry needs `"type": "stdio"`. */
  readonly isTyped: boolean
  /** Whether its files may have comments and trailing commas. */
  readonly isLenient: boolean
  /** What a person does so that the assistant reads the file. */
  readonly next: string
  readonly file: (machine: Machine) => string
}

/** What the paths of settings files depend on. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
}

export const thisMachine = (environment: Machine["environment"]): Machine => ({
  platform: process.platform,
  environment,
  home: homedir()
})

/** The user's folder for settings of desktop programs. */
const settingsFolder = ({ environment, home, platform }: Machine): string => {
  if (platform === "darwin") return join(home, "Library", "Application Support")
  if (platform === "win32") return environment["APPDATA"] || join(home, "AppData", "Roaming")
  return environment["XDG_CONFIG_HOME"] || join(home, ".config")
}

export const assistants: Readonly<Record<AssistantName, Assistant>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    section: "mcpServers",
    isTyped: false,
    isLenient: false,
    next: "Quit Claude Desktop and start it again.",
    file: (machine) => join(settingsFolder(machine), "Claude", "claude_desktop_config.json")
  },
  "claude-code": {
    title: "Claude Code",
    section: "mcpServers",
    isTyped: true,
    isLenient: false,
    next: "Start a new session of Claude Code; /mcp shows it.",
    file: ({ environment, home }) => join(environment["CLAUDE_CONFIG_DIR"] || home, ".claude.json")
  },
  cursor: {
    title: "Cursor",
    section: "mcpServers",
    isTyped: false,
    isLenient: false,
    next: "Start Cursor again; its settings list it under MCP.",
    file: ({ home }) => join(home, ".cursor", "mcp.json")
  },
  "gemini-cli": {
    title: "Gemini CLI",
    section: "mcpServers",
    isTyped: false,
    isLenient: true,
    next: "Start a new session of Gemini CLI, in a folder that it trusts; /mcp shows it.",
    file: ({ home }) => join(home, ".gemini", "settings.json")
  },
  vscode: {
    title: "VS Code",
    section: "servers",
    isTyped: true,
    isLenient: true,
    next: "In VS Code, the command 'MCP: List Servers' starts it.",
    file: (machine) => join(settingsFolder(machine), "Code", "User", "mcp.json")
  }
}

/** How an assistant starts the tool server. */
export interface Entry {
  readonly command: string
  /** The program, and then its options. */
  readonly args: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
}

export type Merged =
  | { readonly _tag: "Merged"; readonly text: string; readonly isChanged: boolean; readonly entry: object }
  /** The file is invalid at this position; lines and columns count from 1. */
  | { readonly _tag: "Refused"; readonly reason: string; readonly line: number; readonly column: number }

/**
 * Inserts or updates the entry in a settings file; the rest of the text is unchanged. An existing entry keeps its other
 * members, variables and options, but not the address of a server, which an assistant prefers to a command. `text` is
 * undefined if there is no file.
 */
export const mergeEntry = (text: string | undefined, assistant: Assistant, entry: Entry): Merged => {
  const given = text === undefined || text.trim() === "" ? "{}\n" : text
  const mark = given.startsWith("\ufeff") ? "\ufeff" : ""
  const json = given.slice(mark.length)
  const errors: Array<ParseError> = []
  const rules = { allowTrailingComma: assistant.isLenient, disallowComments: !assistant.isLenient }
  const root = parseTree(json, errors, rules)
  const [error] = errors
  if (error !== undefined) return refused(json, error.offset, wordsOf(error))
  if (root?.type !== "object") return refused(json, root?.offset ?? 0, "an object is wanted here")
  const section = findNodeAtLocation(root, [assistant.section])
  if (section !== undefined && section.type !== "object")
    return refused(json, section.offset, `"${assistant.section}" must be an object`)
  const path = [assistant.section, serverName]
  const present = findNodeAtLocation(root, path)
  const wanted = entryOver(present, assistant, entry)
  if (present !== undefined && isDeepStrictEqual(valueOf(present), wanted))
    return { _tag: "Merged", text: given, isChanged: false, entry: wanted }
  const value = { [serverName]: wanted }
  const changed =
    present !== undefined
      ? replaced(json, present.offset, present.length, written(json, wanted, 2))
      : section !== undefined
        ? withMember(json, section, value, 2)
        : withMember(json, root, { [assistant.section]: value }, 1)
  return { _tag: "Merged", text: mark + changed, isChanged: true, entry: wanted }
}

const entryOver = (present: Node | undefined, assistant: Assistant, { args, command, env }: Entry): object => {
  const before: unknown = present === undefined ? {} : valueOf(present)
  const old = isRecord(before) ? withoutAddress(before) : {}
  const oldEnv = isRecord(old["env"]) ? old["env"] : {}
  const variables = { ...oldEnv, ...env }
  return {
    ...(assistant.isTyped && { type: "stdio" }),
    ...old,
    command,
    args: [...args, ...keptOptions(old, args)],
    ...(Object.keys(variables).length > 0 && { env: variables })
  }
}

const ofAddress: ReadonlySet<string> = new Set(["url", "httpUrl", "serverUrl", "headers"])

const withoutAddress = (entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(entry).filter(([name, value]) => !ofAddress.has(name) && (name !== "type" || value === "stdio"))
  )

/** The value as `JSON.parse` would return it. */
const valueOf = (node: Node): unknown => JSON.parse(JSON.stringify(getNodeValue(node)))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The options of the existing entry, such as `--no-delete`, except `--account` if the new entry sets it. */
const keptOptions = (old: Readonly<Record<string, unknown>>, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = [old["command"], old["args"]].flat().filter((word): word is string => typeof word === "string")
  const program = words.findIndex((word) => /lat-mcp(?:\.(?:mjs|ts|cmd))?$/.test(word))
  const kept = program < 0 ? [] : words.slice(program + 1)
  const account = kept.findIndex((word) => /^--account(?:=|$)/.test(word))
  return account >= 0 && args.includes("--account")
    ? kept.toSpliced(account, kept[account] === "--account" ? 2 : 1)
    : kept
}

const refused = (text: string, offset: number, reason: string): Merged => {
  const before = text.slice(0, offset).split("\n")
  return { _tag: "Refused", reason, line: before.length, column: before.at(-1)!.length + 1 }
}

/** `PropertyNameExpected` as `property name expected`. */
const wordsOf = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()

const replaced = (text: string, offset: number, length: number, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length)

/** Appends a member to an object in the text; `depth` is the indentation level of the object's members. */
const withMember = (text: string, { children, length, offset }: Node, member: object, depth: number): string => {
  const { eol, indent } = formOf(text)
  const lines = `${eol}${indent.repeat(depth)}${written(text, member, depth - 1)
    .slice(1, -1)
    .trim()}`
  const last = children?.at(-1)
  if (last !== undefined) return replaced(text, last.offset + last.length, 0, `,${lines}`)
  const isBlank = text.slice(offset + 1, offset + length - 1).trim() === ""
  return replaced(text, offset + 1, isBlank ? length - 2 : 0, `${lines}${eol}${indent.repeat(depth - 1)}`)
}

/** A value as JSON, indented like the text, for a line at indentation level `depth`. */
const written = (text: string, value: object, depth: number): string => {
  const { eol, indent } = formOf(text)
  return JSON.stringify(value, null, indent).replaceAll("\n", eol + indent.repeat(depth))
}

/** Indentation and line ends of the text; two spaces if no line is indented. */
const formOf = (text: string) => ({
  indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ",
  eol: text.includes("\r\n") ? "\r\n" : "\n"
})
