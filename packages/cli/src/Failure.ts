/** A failure of the CLI itself, with a hint on how to resolve it. */
export class Failure extends Error {
  readonly _tag = "Failure"
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** Wrong usage: the command line is invalid. */
export class UsageError extends Error {
  readonly _tag = "UsageError"
}
