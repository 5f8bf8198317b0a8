import { Effect, Schema } from "effect"

/** The embedded PostgreSQL cannot be set up, started or stopped; the message is one line for the operator. */
export class EmbeddedError extends Schema.TaggedError<EmbeddedError>()("EmbeddedError", {
  message: Schema.String
}) {}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A step that touches the system; `what` begins the sentence that says what could not be done. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new EmbeddedError({ message: `${what}: ${reasonOf(cause)}` })
  })
