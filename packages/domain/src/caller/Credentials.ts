import { Effect } from "effect"
import * as Redacted from "effect/Redacted"
import { InvalidInput } from "../model/Errors.ts"
import { atMost } from "../text/Characters.ts"

/** Characters that a password has at least, and a password and an email at most (docs/decisions.md#sign-in). */
export const minPasswordLength = 8
const maxPasswordLength = 1_024
const maxEmailLength = 320

/** Checked before anything is computed from the text: a longer one matches no account. */
export const canBeEmail = (text: string): boolean => atMost(text, maxEmailLength)

export const canBePassword = (text: string): boolean => atMost(text, maxPasswordLength)

/** Whether it may become a password. */
export const checkPassword = (password: Redacted.Redacted): Effect.Effect<void, InvalidInput> => {
  const given = Redacted.value(password)
  return atMost(given, minPasswordLength - 1) || !canBePassword(given)
    ? Effect.fail(
        new InvalidInput({
          field: "password",
          reason: `must be ${minPasswordLength} to ${maxPasswordLength} characters long`
        })
      )
    : Effect.void
}
