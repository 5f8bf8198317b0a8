import { atMost, characters, truncate } from "../text/Characters.ts"
import { inFigures } from "../text/Wording.ts"

/** Characters of a value in a message. */
const maxLength = 60

/** A key or token sent in the place of something else; messages never repeat it. */
const secrets = /lat_[0-9A-Za-z_]+/g

/** Text of a request as messages repeat it, without keys. */
export const withoutSecrets = (text: string): string => text.replaceAll(secrets, "lat_…").toWellFormed()

/** A value of a request as messages repeat it: a text cut to 60 characters, of an array and an object only the size. */
export const shownValue = (value: unknown): string => {
  if (typeof value === "string") return shownText(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "object" && value !== null) return "an object"
  return String(value)
}

const shownText = (text: string): string => {
  const start = text.slice(0, 4 * maxLength)
  const shown = JSON.stringify(truncate(withoutSecrets(start), maxLength))
  return atMost(text, maxLength) ? shown : `${shown} (${inFigures(characters(text))} characters)`
}
