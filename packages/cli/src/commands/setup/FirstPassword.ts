import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { minPasswordLength } from "@lists-and-things/domain/caller/Credentials"
import { Effect, Redacted } from "effect"

interface Asking {
  /** Asks for a line without echo; undefined when the input has ended. */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly say: (text: string) => void
}

/**
 * Asks on a terminal for the first password of an account until a valid one was typed twice, and sets it. False if the
 * line is empty: the person prefers a link.
 */
export const askFirstPassword = Effect.fnUntraced(function* ({ ask, say }: Asking, email: string) {
  const accounts = yield* Accounts
  const typed = (question: string) => Effect.promise(() => ask(question))
  say(
    `A password for signing in as ${email}: ${minPasswordLength} characters or more, not shown. Enter alone makes a link instead.\n`
  )
  while (true) {
    const first = (yield* typed("Password: ")) ?? ""
    if (first === "") return false
    if ((yield* typed("The same again: ")) !== first) {
      say("The two differ. Once more:\n")
      continue
    }
    const refused = yield* accounts.setPassword(email, Redacted.make(first)).pipe(
      Effect.as(undefined),
      Effect.catchTag("InvalidInput", ({ reason }) => Effect.succeed(reason))
    )
    if (refused === undefined) return true
    say(`The password ${refused}. Once more:\n`)
  }
})
