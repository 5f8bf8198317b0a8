import { atMost } from "../text/Characters.ts"

/** Characters of an email and of a password (docs/decisions.md#sign-in); what is longer is nobody's. */
const maxEmailLength = 320
export const maxPasswordLength = 1_024

/** Looked at before anything is computed from the text. */
export const canBeEmail = (text: string): boolean => atMost(text, maxEmailLength)

export const canBePassword = (text: string): boolean => atMost(text, maxPasswordLength)
