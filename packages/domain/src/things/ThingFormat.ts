import { isHeading, type Thing, type ThingContent } from "../model/Thing.ts"

/** What a thing is formatted as besides its type: a heading of either level, a quote or code (docs/contract.md#thing). */
export const formatFlags = ["header", "subheader", "quote", "code"] as const
export type FormatFlag = (typeof formatFlags)[number]

/** Of a thing or of a patch: at most a heading and one of `quote` and `code`. */
export type ThingFormat = ReadonlyArray<FormatFlag>

/** The formats to choose from; other things are both a heading and a quote or code. */
export const singleFormats: ReadonlyArray<ThingFormat> = [[], ...formatFlags.map((flag) => [flag])]

/** The flags that are set, in the order of `formatFlags`. */
export const formatOf = (thing: Pick<ThingContent, FormatFlag>): ThingFormat =>
  formatFlags.filter((flag) => thing[flag])

type FormatPatch = Record<FormatFlag, boolean> & { readonly bold?: false }

/** The patch that gives a thing exactly this format. What made a heading bold goes with it. */
export const formatPatch = (format: ThingFormat, thing: Pick<Thing, FormatFlag>): FormatPatch => {
  const has = (flag: FormatFlag) => format.includes(flag)
  const flags = { header: has("header"), subheader: has("subheader"), quote: has("quote"), code: has("code") }
  return isHeading(thing) && !isHeading(flags) ? { ...flags, bold: false } : flags
}
