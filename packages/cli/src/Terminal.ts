import { styleText } from "node:util"
import type { Style } from "./ControlCharacters.ts"
import { exitCodes } from "./Failure.ts"

/** The standard streams and the capabilities of the terminal. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Replaces the progress line on stderr, which must be a terminal; empty text, or any other output, removes it. */
  readonly line: (text: string) => void
  /** Writes to stdout and waits until its reader can take more; rejects if the reader has gone. */
  readonly outWhenReady: (text: string) => Promise<void>
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Whether stdin and stderr are both terminals: questions go to stderr, so that stdout holds only the result. */
  readonly canAsk: boolean
  /** Columns of stdout, else of stderr; 80 where neither is a terminal. */
  readonly columns: number
  /** Adds colour on a terminal that supports it, unless `NO_COLOR` is set. */
  readonly paint: (style: Style, text: string) => string
  readonly paintErr: (style: Style, text: string) => string
  /** Reads stdin in chunks. */
  readonly inputPieces: () => AsyncIterable<Uint8Array>
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>
  /** Reads one line from the terminal; undefined when the input has ended. */
  readonly ask: (question: string) => Promise<string | undefined>
  /** `ask` without echo. */
  readonly askHidden: (question: string) => Promise<string | undefined>
}

/**
 * Ends the process when stdout cannot be written, for instance because a disk is full. What the command changed stays
 * changed.
 */
const refuse = (error: NodeJS.ErrnoException): never => {
  process.stderr.write(`lat: standard output cannot be written: ${error.message}\n`)
  process.exit(exitCodes.failure)
}

export const processTerminal = (environment: Readonly<Record<string, string | undefined>>): Terminal => {
  const plain = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb"
  const painter = (terminal: boolean) => (style: Style, text: string) =>
    plain || !terminal || text === "" ? text : styleText(style, text, { validateStream: false })
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, such as head, is not a failure.
    if (error.code !== "EPIPE") refuse(error)
  })
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = exitCodes.failure
  })
  let hasLine = false
  const line = (text: string): void => {
    if (hasLine || text !== "") process.stderr.write(`\r\u001b[K${text}`)
    hasLine = text !== ""
  }
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    line("")
    stream.write(text)
  }
  return {
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    line,
    outWhenReady: (text) =>
      new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve()))),
    inputPieces: () => process.stdin as AsyncIterable<Uint8Array>,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
    columns: process.stdout.columns || process.stderr.columns || 80,
    paint: painter(process.stdout.isTTY === true),
    paintErr: painter(process.stderr.isTTY === true),
    readInput: async () => {
      const chunks: Array<Uint8Array> = []
      for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
      return Buffer.concat(chunks)
    },
    ask: async (question) => {
      const { askLine } = await import("./Questions.ts")
      return askLine(question, process.stdin, process.stderr)
    },
    askHidden: async (question) => {
      const { askHidden } = await import("./Questions.ts")
      return askHidden(question, process.stdin, process.stderr)
    }
  }
}
