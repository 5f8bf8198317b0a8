import { plainText } from "../markdown/TextMarkup.ts"
import type { Thing } from "../model/Thing.ts"
import { thingName } from "./OperationSummaries.ts"

/** A link in a summary whose address does not end before the text is cut. */
const cutLink = /\[([^[\]]*)\]\([^()\s]*…”$/

/** A summary for people to read: what it quotes is without the markup of things' texts. */
export const plainSummary = (summary: string): string =>
  summary.replaceAll(/“[^“”]*”/g, (quoted) => plainText(quoted, false).replace(cutLink, "$1…”"))

/** What a summary calls a thing, without the markup of its text. */
export const plainName = ({ code, text, url }: Pick<Thing, "code" | "text" | "url">): string =>
  thingName({ text: plainText(text, code), url })
