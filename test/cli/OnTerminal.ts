import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { until } from "@lists-and-things/testing/Until"

/** Whether this machine has `script` of util-linux, which runs a program on a terminal of its own. */
export const hasTerminals = ((): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

/** A program on a terminal, with a simulated user who reads and types. */
export interface OnTerminal {
  readonly child: ChildProcess
  /** Everything that the terminal has shown so far, with control codes. */
  readonly screen: () => string
  /** Waits until the terminal shows this text after the text of the previous wait. */
  readonly sees: (text: string | RegExp) => Promise<void>
  readonly type: (keys: string) => void
  /** The exit code of the program. */
  readonly ended: Promise<number | null>
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

export const onTerminal = (
  words: ReadonlyArray<string>,
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string }
): OnTerminal => {
  const command = words.map(quoted).join(" ")
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    ...options,
    stdio: ["pipe", "pipe", "inherit"]
  })
  let [screen, seen] = ["", 0]
  child.stdout.on("data", (chunk: Buffer) => (screen += chunk.toString()))
  const ended = once(child, "close").then(([code]) => code as number | null)
  return {
    child,
    screen: () => screen,
    sees: (text) =>
      until(`${text} on the terminal`, () => {
        const rest = screen.slice(seen)
        const found = typeof text === "string" ? rest.indexOf(text) : rest.search(text)
        if (found < 0 && child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${screen}`)
        if (found < 0) return false
        seen += found + (typeof text === "string" ? text.length : text.exec(rest)![0].length)
        return true
      }),
    type: (keys) => void child.stdin.write(keys),
    ended
  }
}
