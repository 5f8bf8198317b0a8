import { atMost } from "../text/Characters.ts"

/** Maximum characters of an email and of a password (docs/decisions.md#sign-in); longer input matches no account. */
const maxEmailLength = 320
export const maxPasswordLength = 1_024

/** Checked before anything is computed from the text. */
export const canBeEmail = (text: string): boolean => atMost(text, maxEmailLength)

export const canBePassword = (text: string): boolean => atMost(text, maxPasswordLength)
