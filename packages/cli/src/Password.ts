import { checkPassword } from "@lists-and-things/domain/caller/Credentials"
import { Effect } from "effect"
import * as Redacted from "effect/Redacted"
import { Failure, UsageError } from "./Failure.ts"
import { readText } from "./StandardInput.ts"
import type { Terminal } from "./Terminal.ts"

/**
 * Reads a new password: typed twice on a terminal without echo, otherwise all of standard input without the final line
 * break. A refusal names the option that gave it.
 */
export const readPassword = (terminal: Terminal): Effect.Effect<Redacted.Redacted, Failure | UsageError> =>
  (terminal.canAsk
    ? typedTwice(terminal)
    : Effect.map(readText("-", terminal), (text) => Redacted.make(text.replace(/\r?\n$/, "")))
  ).pipe(
    Effect.tap(checkPassword),
    Effect.catchTag("InvalidInput", ({ reason }) =>
      Effect.fail(new UsageError(`--password-stdin: the password ${reason}`))
    )
  )

const typedTwice = Effect.fnUntraced(function* (terminal: Terminal) {
  const first = yield* typed(terminal, "New password (not shown): ")
  const again = yield* typed(terminal, "The same again: ")
  if (first !== again) return yield* Effect.fail(new Failure("The two passwords differ. Nothing was changed."))
  return Redacted.make(first)
})

const typed = (terminal: Terminal, question: string): Effect.Effect<string, Failure> =>
  Effect.flatMap(
    Effect.promise(() => terminal.askHidden(question)),
    (line) => (line === undefined ? Effect.fail(new Failure("Nothing was changed.")) : Effect.succeed(line))
  )
