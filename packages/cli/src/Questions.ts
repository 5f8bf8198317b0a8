import { createInterface, type Interface } from "node:readline"
import { Writable } from "node:stream"

/**
 * Asks for a line on a terminal; undefined when the input has ended. Ctrl-C sends SIGINT to the process, as it would
 * without a question, and the promise stays pending.
 */
export const askLine = (
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream
): Promise<string | undefined> => {
  const lines = createInterface({ input, output, historySize: 0 })
  lines.setPrompt(question)
  lines.prompt()
  return answer(lines, { line: () => {}, none: () => output.write("\n") })
}

/** `askLine` without echo. */
export const askHidden = (
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream
): Promise<string | undefined> => {
  // Discards the echo of readline.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  output.write(question)
  const end = () => output.write("\n")
  return answer(lines, { line: end, none: end })
}

/** What to write after a line, and when there was none. */
interface Ends {
  readonly line: () => void
  readonly none: () => void
}

const answer = (lines: Interface, ends: Ends): Promise<string | undefined> =>
  new Promise((resolve) => {
    // Resetting the mode of a closed terminal fails; its input ends as well, which is handled below.
    const isGone = () => {}
    lines.on("error", isGone)
    const end = (written: () => void): void => {
      lines.removeAllListeners().on("error", isGone)
      lines.close()
      written()
    }
    lines.once("line", (line) => {
      end(ends.line)
      resolve(line)
    })
    lines.once("close", () => {
      end(ends.none)
      resolve(undefined)
    })
    lines.once("SIGINT", () => {
      end(ends.none)
      process.kill(process.pid, "SIGINT")
    })
  })
