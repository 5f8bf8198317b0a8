import { createInterface } from "node:readline"
import { Writable } from "node:stream"

/**
 * Asks on a terminal for a line that is not shown as it is typed; undefined when the input has ended. At Ctrl-C the
 * process gets the signal that it would get without a question, and there is no answer.
 */
export const askHidden = (
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream
): Promise<string | undefined> =>
  new Promise((resolve) => {
    // What readline echoes goes nowhere.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
    const end = (): void => {
      lines.removeAllListeners()
      lines.close()
      output.write("\n")
    }
    const answer = (line: string | undefined): void => {
      end()
      resolve(line)
    }
    lines.once("line", answer)
    lines.once("close", () => answer(undefined))
    lines.once("SIGINT", () => {
      end()
      process.kill(process.pid, "SIGINT")
    })
    output.write(question)
  })
