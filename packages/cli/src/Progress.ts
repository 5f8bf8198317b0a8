import type { OutputMode } from "./Output.ts"
import type { Terminal } from "./Terminal.ts"

/** A clock that tests can advance; milliseconds. */
export interface ProgressClock {
  readonly now: () => number
  /** Calls until it is stopped. */
  readonly every: (interval: number, call: () => void) => () => void
}

const realClock: ProgressClock = {
  now: () => performance.now(),
  every: (interval, call) => {
    // Reporting progress must not keep the process alive.
    const timer = setInterval(call, interval).unref()
    return () => clearInterval(timer)
  }
}

/** Shorter commands report nothing. */
const quietFor = 1_000
const interval = 250

/**
 * Tells in one line on stderr what a command is doing, how far it is and for how long: only on a terminal, without
 * `--quiet` and `--json`, and once it has taken a second.
 */
export class Progress {
  readonly #terminal: Terminal
  readonly #tells: boolean
  readonly #clock: ProgressClock
  #stop: (() => void) | undefined
  #began = 0
  #what = ""
  #detail = ""

  constructor(terminal: Terminal, mode: OutputMode, clock: ProgressClock = realClock) {
    this.#terminal = terminal
    this.#tells = terminal.errIsTerminal && !mode.json && !mode.quiet
    this.#clock = clock
  }

  /** What is done from now on, such as `Importing`. */
  begin(what: string): void {
    this.end()
    if (!this.#tells) return
    this.#what = what
    this.#detail = ""
    this.#began = this.#clock.now()
    this.#stop = this.#clock.every(interval, () => this.#tell())
  }

  /** How far it is, such as `3 of 24`. */
  at(detail: string): void {
    this.#detail = detail
  }

  end(): void {
    if (this.#stop === undefined) return
    this.#stop()
    this.#stop = undefined
    this.#terminal.line("")
  }

  #tell(): void {
    const taken = this.#clock.now() - this.#began
    if (taken < quietFor) return
    const parts = [`${this.#what}…`, this.#detail, `${Math.floor(taken / 1_000)} s`]
    this.#terminal.line(within(parts.filter((part) => part !== "").join("  "), this.#terminal.columns))
  }
}

/** Matches characters that never take two cells: the scripts before Hangul, and punctuation such as `…`. */
const narrow = /[\0-\u10ff\u2000-\u206f]/

/**
 * The beginning of a line that fits, with a cell to spare for the cursor. Any other character counts as two cells:
 * `string-width` would know, but every command has a progress, and loading that is a tenth of a short one.
 */
const within = (line: string, columns: number): string => {
  let shown = ""
  let taken = 0
  for (const character of line) {
    taken += narrow.test(character) ? 1 : 2
    if (taken >= columns) break
    shown += character
  }
  return shown
}
