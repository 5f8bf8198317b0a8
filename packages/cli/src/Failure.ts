/** A failure in the CLI's own words, with what to do about it. */
export class Failure extends Error {
  readonly _tag = "Failure"
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** The command line itself is wrong. */
export class UsageError extends Error {
  readonly _tag = "UsageError"
}
