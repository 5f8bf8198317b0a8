import { Effect, Schema } from "effect"

/** The embedded PostgreSQL cannot be set up, started or stopped. The message is one line for the operator. */
export class EmbeddedError extends Schema.TaggedError<EmbeddedError>()("EmbeddedError", {
  message: Schema.String
}) {}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Runs a step on the operating system. `what` begins the message of its error and names what could not be done. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new EmbeddedError({ message: `${what}: ${reasonOf(cause)}` })
  })
