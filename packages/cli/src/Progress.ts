import type { OutputMode } from "./Output.ts"
import type { Terminal } from "./Terminal.ts"

/** A clock in milliseconds, which tests replace by one that they advance. */
export interface ProgressClock {
  readonly now: () => number
  /** Calls `call` every `interval` milliseconds until the returned function is called. */
  readonly every: (interval: number, call: () => void) => () => void
}

const realClock: ProgressClock = {
  now: () => performance.now(),
  every: (interval, call) => {
    // The timer does not keep the process alive.
    const timer = setInterval(call, interval).unref()
    return () => clearInterval(timer)
  }
}

/** Milliseconds before the first output, and between updates. */
const quietFor = 1_000
const interval = 250

/**
 * Shows on one line of stderr what a command is doing, how far it is and for how long: only on a terminal, without
 * `--quiet` and `--json`, and after the first second.
 */
export class Progress {
  readonly #terminal: Terminal
  readonly #isShown: boolean
  readonly #clock: ProgressClock
  #stop: (() => void) | undefined
  #began = 0
  #what = ""
  #detail = ""

  constructor(terminal: Terminal, mode: OutputMode, clock: ProgressClock = realClock) {
    this.#terminal = terminal
    this.#isShown = terminal.errIsTerminal && !mode.json && !mode.quiet
    this.#clock = clock
  }

  /** Starts a step, such as `Importing`. */
  begin(what: string): void {
    this.end()
    if (!this.#isShown) return
    this.#what = what
    this.#detail = ""
    this.#began = this.#clock.now()
    this.#stop = this.#clock.every(interval, () => this.#show())
  }

  /** Sets how far the step is, such as `3 of 24`. */
  at(detail: string): void {
    this.#detail = detail
  }

  end(): void {
    if (this.#stop === undefined) return
    this.#stop()
    this.#stop = undefined
    this.#terminal.line("")
  }

  #show(): void {
    const taken = this.#clock.now() - this.#began
    if (taken < quietFor) return
    const parts = [`${this.#what}…`, this.#detail, `${Math.floor(taken / 1_000)} s`]
    this.#terminal.line(within(parts.filter((part) => part !== "").join("  "), this.#terminal.columns))
  }
}

/** Characters that never take two cells: those of the scripts before Hangul, and punctuation such as `…`. */
const narrow = /[\0-\u10ff\u2000-\u206f]/

/**
 * Cuts a line so that it fits, with a cell to spare for the cursor. Counts two cells for any character that is not
 * `narrow`. `string-width` is exact, but loading it for every command would take a tenth of the time of a short one.
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
