import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

/** What one connection sends, over and over; connections take turns through the list. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly connections: number
  readonly seconds: number
  readonly requests: ReadonlyArray<Sent>
}

export interface Measured {
  /** Answers a second. */
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Answers that were not 2xx, and connections that broke. */
  readonly failed: number
}

/** Runs a load from another process. */
export const measure = async (load: Load): Promise<Measured> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./Loader.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(load))
  return JSON.parse(await text(child.stdout)) as Measured
}
