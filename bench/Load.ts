import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

/** The request that one connection sends repeatedly; the list is assigned to the connections in turn. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  /** Instead of the load's. */
  readonly path?: string
  /** Sent in turn; `{n}` in a body, a header or the path is a number of its own in each request. */
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
