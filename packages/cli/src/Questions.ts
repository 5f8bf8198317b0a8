import { createInterface, type Interface } from "node:readline"
import { Writable } from "node:stream"

/**
 * Asks on a terminal for a line; undefined when the input has ended. At Ctrl-C the process gets the signal that it would
 * get without a question, and there is no answer.
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

/** The same, without showing what is typed. */
export const askHidden = (
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream
): Promise<string | undefined> => {
  // Discards what readline echoes.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  output.write(question)
  const end = () => output.write("\n")
  return answer(lines, { line: end, none: end })
}

/** Written after a line, and where there was none. */
interface Ends {
  readonly line: () => void
  readonly none: () => void
}

const answer = (lines: Interface, ends: Ends): Promise<string | undefined> =>
  new Promise((resolve) => {
    // A terminal that was closed cannot be set back to how it was; its input ends as well.
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
