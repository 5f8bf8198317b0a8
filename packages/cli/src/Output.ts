import { withoutControlsInLines } from "./ControlCharacters.ts"
import { layOut, type Table } from "./Table.ts"
import type { Terminal } from "./Terminal.ts"

/** The result of a command, in one form for each output mode. */
export interface Answer {
  /** For `--json`. */
  readonly json: unknown
  /** For people: a text, coloured only through `Terminal.paint`, or a table, which is laid out on output. */
  readonly text: string | Table
  /** For `--quiet`: the bare value for scripts, such as an id; prints nothing when omitted. */
  readonly quiet?: string
  /** Notes for people, on stderr; omitted from JSON and quiet output. */
  readonly remark?: string
  /** How to get the rest of a result that is cut off; on stderr, also with JSON and quiet output. */
  readonly more?: string
  /** True when the command ran but found a problem: the exit code is 1. */
  readonly failed?: boolean
  /** The command has written its result itself, line by line. */
  readonly isWritten?: boolean
}

export interface OutputMode {
  readonly json: boolean
  readonly quiet: boolean
}

/** Writes the result; with `--json` stdout holds exactly one JSON value. */
export const write = async (answer: Answer, mode: OutputMode, terminal: Terminal): Promise<void> => {
  if (answer.isWritten === true) return
  await writeResult(answer, mode, terminal)
  line(answer.more && withoutControlsInLines(answer.more, terminal.paintErr), terminal.err)
}

const writeResult = async (answer: Answer, mode: OutputMode, terminal: Terminal): Promise<void> => {
  if (mode.json) return terminal.out(`${JSON.stringify(answer.json, null, 2)}\n`)
  if (mode.quiet) return line(answer.quiet, terminal.out)
  const text = typeof answer.text === "string" ? answer.text : await layOut(terminal, answer.text)
  line(withoutControlsInLines(text, terminal.paint), terminal.out)
  line(answer.remark && withoutControlsInLines(answer.remark, terminal.paintErr), terminal.err)
}

const line = (text: string | undefined, to: (text: string) => void): void => {
  if (text !== undefined && text !== "") to(text.endsWith("\n") ? text : `${text}\n`)
}

export const sizeText = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`
