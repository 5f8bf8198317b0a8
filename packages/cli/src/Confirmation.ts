import { Effect } from "effect"
import { Failure, UsageError } from "./Failure.ts"
import type { Input } from "./Input.ts"

/** Asks for confirmation before a destructive command on a terminal; without a terminal `--yes` is required. */
export const confirm = (input: Input, what: string): Effect.Effect<void, Failure | UsageError> =>
  Effect.suspend((): Effect.Effect<void, Failure | UsageError> => {
    if (input.switch("yes")) return Effect.void
    const { terminal } = input
    if (!terminal.canAsk || input.mode.json) {
      return Effect.fail(new UsageError(`${what} cannot be undone: add --yes where nobody can be asked`))
    }
    return Effect.flatMap(
      Effect.promise(() => terminal.ask(`${what} cannot be undone. Go on? [y/N] `)),
      (answer) => (/^y(es)?$/i.test(answer.trim()) ? Effect.void : Effect.fail(new Failure("Nothing was changed.")))
    )
  })
