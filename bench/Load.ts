import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

/** A request that one connection sends repeatedly; connections take the requests of a load in turn. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  /** Replaces the path of the load. */
  readonly path?: string
  /** Sent in turn; `{n}` in a body, a header or the path is replaced by a number that differs in each request. */
  readonly bodies?: ReadonlyArray<string>
}

export interface Load {
  readonly url: string
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "REPORT"
  readonly path: string
  readonly connections: number
  readonly seconds: number
  readonly requests: ReadonlyArray<Sent>
}

export interface Measured {
  /** Answers per second. */
  readonly perSecond: number
  /** Median, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Number of answers other than 2xx, and of broken connections. */
  readonly failed: number
}

/** Generates a load from another process and returns its measurements. */
export const measure = async (load: Load): Promise<Measured> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./Loader.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(load))
  return JSON.parse(await text(child.stdout)) as Measured
}
