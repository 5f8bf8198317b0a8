import type { Input } from "./Input.ts"

export interface Progress {
  readonly step: (label: string) => void
  readonly end: () => void
}

const nothing: Progress = { step: () => {}, end: () => {} }

/** A progress bar on stderr; only on a terminal and without `--quiet`. */
export const progress = (input: Input, total: number): Progress => {
  const { mode, terminal } = input
  if (!terminal.errIsTerminal || mode.json || mode.quiet || total < 2) return nothing
  let done = 0
  return {
    step: (label) => {
      terminal.err(`\r\u001b[K${bar(done, total, label, terminal.columns)}`)
      done++
    },
    end: () => terminal.err("\r\u001b[K")
  }
}

/** `[#####     ] 12/24 name`, at most as wide as the terminal. */
export const bar = (done: number, total: number, label: string, columns: number): string => {
  const cells = 24
  const filled = Math.round((done / total) * cells)
  const text = `[${"#".repeat(filled)}${" ".repeat(cells - filled)}] ${done}/${total} ${label}`
  return text.length < columns ? text : text.slice(0, Math.max(0, columns - 1))
}
