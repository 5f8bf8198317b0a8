import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { type Connection, overStdio } from "../mcp/Clients.ts"
import { ownPort } from "../setup/OwnPort.ts"
import { Installation } from "../start/Programs.ts"
import { type Document, root, type Step } from "./Document.ts"
import { Shell } from "./Shell.ts"
import { Shown } from "./Shown.ts"

/** The zone of every run, so that a document shows one zone. */
const zone = "Europe/Vienna"

/** Programs `lat` and `npx` that run the `lat` of this checkout. */
const lat = `#!/bin/sh
exec '${process.execPath}' '${join(root, "bin/lat.mjs")}' "$@"
`
const npx = lat.replace("\n", "\nshift\n")

/** The present date there. */
export const today = (): string => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format()

export interface SessionOptions {
  /** Additional environment variables of the commands. */
  readonly variables?: Readonly<Record<string, string>>
  /** Whether a server runs from the beginning if no block starts one; true by default. */
  readonly served?: boolean
}

/** The ports that replace those of documents: 3000 of the server and 8091 of receivers. */
interface Ports {
  readonly server: number
  readonly receiver: number
}

export interface Told {
  readonly step: Step
  /** The call of an assistant. */
  readonly call?: string
  /** The output in the document; for a conversation, that of this call. */
  readonly shown: string
  /** The output of the run, with the ids, dates and places of the document. */
  readonly said: string
  readonly matches: boolean
}

/** Runs a document in an installation of its own, as a reader does, from its first block to its last. */
export class Session {
  readonly #installation = new Installation({ cluster: true })
  readonly #folder = mkdtempSync(join(tmpdir(), "lat-document-"))
  readonly #shown: Shown
  readonly #shell: Shell
  readonly #env: Readonly<Record<string, string>>
  readonly #document: Document
  readonly #served: boolean
  readonly #ports: Ports

  /** Opens a session whose server and receivers have ports of their own. */
  static async open(document: Document, options: SessionOptions = {}): Promise<Session> {
    return new Session(document, options, { server: await ownPort(), receiver: await ownPort() })
  }

  private constructor(document: Document, { served = true, variables = {} }: SessionOptions, ports: Ports) {
    this.#ports = ports
    this.#document = document
    this.#served = served && !document.steps.some(({ kind }) => kind === "server")
    this.#shown = new Shown(document.recorded)
    mkdirSync(join(this.#folder, ".bin"))
    writeFileSync(join(this.#folder, ".bin/npx"), npx, { mode: 0o755 })
    writeFileSync(join(this.#folder, ".bin/lat"), lat, { mode: 0o755 })
    this.#env = {
      PATH: [join(this.#folder, ".bin"), join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter),
      HOME: this.#folder,
      TZ: zone,
      LANG: "C.UTF-8",
      LAT_DATA_DIR: this.#installation.dataDir,
      PORT: String(ports.server),
      ...variables
    }
    this.#shell = new Shell(this.#folder, this.#env)
  }

  /** Runs every block, and yields the result of those whose answer the document shows. */
  async *follow(): AsyncGenerator<Told> {
    if (this.#served) await this.#start({})
    for (const step of this.#document.steps) {
      this.#shown.today = today()
      if (step.kind === "tools") yield* this.#converse(step)
      else yield* this.#compared(step, step.shown, await this.#done(step))
    }
  }

  /** Runs commands that are not part of the document. */
  async run(commands: string): Promise<string> {
    return this.#shell.run(commands)
  }

  async end(): Promise<void> {
    await this.#shell.close()
    await this.#installation.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #done(step: Step): Promise<string> {
    if (step.kind === "shell") return this.#shell.run(this.#inRun(step.text))
    if (step.kind === "console") return this.#shell.run(`set +e\n${this.#inRun(step.text)}\nset -e\n`)
    return this.#start(settingsIn(step.text))
  }

  async #start(variables: Readonly<Record<string, string>>): Promise<string> {
    const { PORT = "" } = this.#env
    const { out } = await this.#installation.start({ TZ: zone, PORT, ...variables })
    return out()
  }

  *#compared(step: Step, shown: string | undefined, said: string): Generator<Told> {
    if (shown === undefined) return
    const matches = this.#shown.matches(this.#inRunPlaces(shown), said)
    yield { step, shown, said: this.#inDocument(said), matches }
  }

  /** Runs a conversation of an assistant; compares each answer with that of the document. */
  async *#converse(step: Step): AsyncGenerator<Told> {
    const [, started = ""] = /^\$ (.*)\n/.exec(step.text) ?? []
    const line = started === "" ? "" : (await this.#shell.run(`echo "${started}"`)).trim()
    const args = line.split(" ").filter((word) => word.startsWith("--"))
    const env = { ...this.#env, LAT_STORAGE: "postgres", ...settingsIn(line) }
    const mcp = await overStdio("present SDK, 2026-07-28", { args, env })
    try {
      for (const [, call = "", shown = ""] of step.text.matchAll(/^→ (.*)\n((?:(?!→ ).*\n)*)/gm)) {
        const said = await answer(mcp, this.#inRun(call))
        for (const told of this.#compared(step, shown.replaceAll(/\n +/g, ""), said)) yield { ...told, call, shown }
      }
    } finally {
      await mcp.close()
    }
  }

  #inRun(text: string): string {
    return this.#shown.inRun(this.#inRunPlaces(text))
  }

  #inRunPlaces(text: string): string {
    return this.#places().reduce((done, [shown, actual]) => done.replaceAll(shown, actual), text)
  }

  #inDocument(text: string): string {
    const placed = this.#places().reduce((done, [shown, actual]) => done.replaceAll(actual, shown), text)
    return this.#shown.inDocument(placed)
  }

  /** Addresses, ports and paths in documents, and those of this run. */
  #places(): ReadonlyArray<readonly [string, string]> {
    return [
      ["http://localhost:3000", `http://localhost:${this.#ports.server}`],
      ["8091", String(this.#ports.receiver)],
      ["/path/to/lists-and-things", root],
      ["/home/ann/.local/share/lists-and-things", this.#installation.dataDir],
      ["/home/ann", this.#folder]
    ]
  }
}

/** The environment variables that a command line sets. */
const settingsIn = (command: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    command
      .split(" ")
      .map((word) => word.split("="))
      .filter(([name = "", value]) => value !== undefined && !name.startsWith("-"))
      .map(([name, ...value]) => [name!, value.join("=")])
  )

/** Makes a call; returns one line, JSON or the text of an error. */
const answer = async (mcp: Connection, call: string): Promise<string> => {
  const [name = "", ...rest] = call.split(" ")
  if (name === "tools/list") return mcp.tools.map((tool) => tool.name).join(", ")
  try {
    const { isError, json, text } = await mcp.call(name, JSON.parse(rest.join(" ")) as object)
    return isError ? `error: ${text}` : JSON.stringify(json)
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}
