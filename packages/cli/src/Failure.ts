import type { DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"

/** What to do about an error; `words` are those of the command line, as they were typed. */
type Hint = string | ((words: ReadonlyArray<string>) => string)

class HintedError extends Error {
  readonly hint: Hint | undefined
  constructor(message: string, hint?: Hint) {
    super(message)
    this.hint = hint
  }
}

/** A failure of the CLI itself. */
export class Failure extends HintedError {
  readonly _tag = "Failure"
}

/** Wrong usage: the command line is invalid. */
export class UsageError extends HintedError {
  readonly _tag = "UsageError"
}

/** 0 success, 1 failure, 2 wrong usage (docs/decisions.md#command-line); 128 + the signal's number when interrupted. */
export const exitCodes = { success: 0, failure: 1, usage: 2, SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Signals that end a command early: its terminal is closed, Ctrl-C, `kill`. */
export const endingSignals = ["SIGHUP", "SIGINT", "SIGTERM"] as const

const codes: { readonly [Tag in DomainError["_tag"] | Failure["_tag"] | UsageError["_tag"]]: 1 | 2 } = {
  UsageError: exitCodes.usage,
  InvalidInput: exitCodes.usage,
  Failure: exitCodes.failure,
  NotFound: exitCodes.failure,
  Ambiguous: exitCodes.failure,
  Unauthorized: exitCodes.failure,
  Forbidden: exitCodes.failure,
  RateLimited: exitCodes.failure,
  IdempotencyMismatch: exitCodes.failure,
  Conflict: exitCodes.failure,
  Gone: exitCodes.failure,
  NotReady: exitCodes.failure,
  TooManyWaiting: exitCodes.failure,
  PreconditionFailed: exitCodes.failure,
  StorageUnavailable: exitCodes.failure,
  Overloaded: exitCodes.failure
}

export const exitCodeOf = (error: unknown): number => {
  const tag = tagOf(error)
  // An error without a field is no usage error: for instance, a list is full.
  if (tag === "InvalidInput" && (error as InvalidInput).field === "") return exitCodes.failure
  return Object.hasOwn(codes, tag) ? codes[tag as keyof typeof codes] : exitCodes.failure
}

export const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string" ? error._tag : ""

/** The message of a thrown value of any type. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of an error of the system or the database, such as `ENOENT` or an SQLSTATE. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined
