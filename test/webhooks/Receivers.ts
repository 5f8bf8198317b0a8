import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll } from "@effect/vitest"

interface Received {
  readonly request: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A running receiver. */
export interface Receiver {
  readonly port: number
  readonly url: string
  /** The requests received so far; each is recorded before it is answered. */
  readonly received: ReadonlyArray<Received>
  readonly stop: () => Promise<void>
}

const program = fileURLToPath(new URL("Receiver.ts", import.meta.url))

/** Starts a receiver with this behaviour. */
export const receiver = async (behaviour: string, argument = ""): Promise<Receiver> => {
  const child = spawn(process.execPath, [program, behaviour, argument], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.on("error", () => {})
  const lines = createInterface({ input: child.stdout })
  const [first] = (await once(lines, "line")) as [string]
  const received: Array<Received> = []
  lines.on("line", (line: string) => {
    received.push(JSON.parse(line) as Received)
    child.stdin.write("\n")
  })
  return {
    port: Number(first),
    url: `http://127.0.0.1:${first}/hook`,
    received,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

/** `receiver` for the tests of a file; its processes end with them. */
export const receivers = (): typeof receiver => {
  const started: Array<Receiver> = []
  afterAll(() => Promise.all(started.map(({ stop }) => stop())))
  return async (behaviour, argument) => {
    const one = await receiver(behaviour, argument)
    started.push(one)
    return one
  }
}
