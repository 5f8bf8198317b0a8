import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { UsageError } from "./Failure.ts"
import type { OutputMode } from "./Output.ts"
import { Progress } from "./Progress.ts"
import type { Terminal } from "./Terminal.ts"

/** What a command line says. */
interface Given {
  /** Values by name, as those of options; `true` for a switch. */
  readonly arguments: ReadonlyMap<string, ReadonlyArray<string>>
  readonly options: ReadonlyMap<string, ReadonlyArray<string> | true>
  /** A field of a request with its value, as this command's line writes it. */
  readonly written: (name: string, value: unknown) => string
}

/** The parsed command line of one command, validated against its spec. */
export class Input {
  readonly mode: OutputMode
  readonly terminal: Terminal
  readonly progress: Progress
  private readonly given: Given

  constructor(given: Given, mode: OutputMode, terminal: Terminal) {
    this.given = given
    this.mode = mode
    this.terminal = terminal
    this.progress = new Progress(terminal, mode)
  }

  /** The first value of an argument; empty if an optional one was left out. */
  argument(name: string): string {
    return this.arguments(name)[0] ?? ""
  }

  /** Whether the command has an argument of this name, given or not. */
  takes(name: string): boolean {
    return this.given.arguments.has(name)
  }

  /** Makes messages about invalid input name the options and arguments instead of request fields. */
  get wording() {
    return { at: "The command line", written: this.given.written }
  }

  arguments(name: string): ReadonlyArray<string> {
    return this.given.arguments.get(name) ?? []
  }

  option(name: string): string | undefined {
    return this.options(name)?.at(-1)
  }

  options(name: string): ReadonlyArray<string> | undefined {
    const given = this.given.options.get(name)
    return given === true ? undefined : given
  }

  switch(name: string): boolean {
    return this.given.options.has(name)
  }

  wholeNumber(name: string): number | undefined {
    const text = this.option(name)
    if (text === undefined) return undefined
    if (!/^\d{1,15}$/.test(text))
      throw new UsageError(`--${name} must be a whole number of 0 or more, such as 2, not ${shownValue(text)}`)
    return Number(text)
  }

  boolean(name: string): boolean | undefined {
    const text = this.option(name)
    if (text === undefined) return undefined
    if (text !== "true" && text !== "false")
      throw new UsageError(`--${name} must be true or false, not ${shownValue(text)}`)
    return text === "true"
  }
}

/** Removes the fields that the command line leaves undefined. */
export const definedFields = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
