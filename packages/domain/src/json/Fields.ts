import { Schema, SchemaTransformation } from "effect"
import { parseIsoTime } from "../days/IsoTime.ts"
import { caps } from "../model/Caps.ts"
import { listSorts } from "../model/List.ts"
import { thingTypes, type ThingType, typeWritten, type WrittenType, writtenTypes } from "../model/Thing.ts"
import { cleanTag, cleanTags } from "../text/TagNames.ts"
import { cleanUrl, isPhotoUrl, isUrl } from "../text/Urls.ts"
import { atMost, firstCharacters, isStorable, storableText } from "../text/Characters.ts"
import { inFigures } from "../text/Wording.ts"
import { optional, rule } from "./Described.ts"

/**
 * The fields that requests consist of, each with its cap (docs/decisions.md#caps), shared by REST, MCP and the CLI.
 * Decoding also normalizes values (tags, urls, the `note` alias).
 */

const storable = rule(isStorable, storableText)

const text = (max: number) =>
  Schema.String.check(
    storable,
    rule(
      (value: string) => atMost(value, max),
      `at most ${inFigures(max)} characters long`,
      () => ({ maxLength: max })
    )
  )

const cleaned = <A>(from: Schema.Codec<A>, clean: (value: A) => A) =>
  from.pipe(Schema.decodeTo(from, SchemaTransformation.transform({ decode: clean, encode: (value: A) => value })))

export const Text = text(caps.text)
export const Note = text(caps.note)
export const Markdown = text(caps.markdown)
export const Emoji = text(caps.emoji)
export const Name = text(caps.title)

/** More characters than any id has, and more than messages repeat of an id. */
const idCharacters = 100

/**
 * Cuts overlong ids, which remain unknown ids. V8 gives all strings longer than 16,383 units the same hash if they have
 * the same length, so looking up many of them would take quadratic time.
 */
const cutId = (id: string): string => firstCharacters(id, idCharacters)

/** Any text; one that does not have the form of an id is an unknown id, however long. */
export const IdText = cleaned(Schema.String.check(storable), cutId)

export const Title = text(caps.title).check(
  rule(
    (value: string) => value.trim() !== "",
    "text that is not blank",
    () => ({ pattern: "\\S" })
  )
)

/** A text that `read` turns into an ISO 8601 time or date. */
export const timeTextAs = (read: (text: string) => string) =>
  Schema.String.check(
    rule(
      (value: string) => parseIsoTime(read(value)) !== undefined,
      "an ISO 8601 date or date-time between the years 0001 and 9999"
    )
  )

/** Any ISO 8601 time or date; the use case interprets it in the owner's zone. */
export const TimeText = timeTextAs((text) => text)

export const TypeText: Schema.Codec<ThingType, WrittenType> = Schema.Literals(writtenTypes).pipe(
  Schema.decodeTo(
    Schema.Literals(thingTypes),
    SchemaTransformation.transform({ decode: typeWritten, encode: (type: ThingType): WrittenType => type })
  )
)

export const SortText = Schema.Literals(listSorts)

export const Url = cleaned(
  text(caps.url).check(
    rule(
      (value: string) => value.trim() === "" || isUrl(value),
      "a URL such as https://example.com (javascript:, data: and vbscript: are refused)"
    ),
    rule(
      (value: string) => atMost(cleanUrl(value), caps.url),
      `at most ${inFigures(caps.url)} characters long with the https:// that it gets`
    )
  ),
  cleanUrl
)

/** One tag as it is written: its cap holds for what is stored, without the white space and the `#` around it. */
const Tag = Schema.String.check(
  storable,
  rule((tag: string) => atMost(cleanTag(tag), caps.tag), `at most ${inFigures(caps.tag)} characters long`)
)

export const Tags: Schema.Codec<ReadonlyArray<string>> = cleaned(
  Schema.Array(Tag).check(
    rule(
      (tags: ReadonlyArray<string>) => cleanTags(tags).length <= caps.tags,
      `an array of at most ${caps.tags} tags`,
      () => ({ maxItems: caps.tags })
    )
  ),
  cleanTags
)

/** Without the white space around it, as a url is stored. */
const Photo = cleaned(
  text(caps.url).check(rule((value: string) => isPhotoUrl(value.trim()), "an absolute http or https URL")),
  (photo) => photo.trim()
)

export const Photos = Schema.Array(Photo).check(
  Schema.isMaxLength(caps.photos, { expected: `an array of at most ${caps.photos} photos` })
)

/** Both bounds are inclusive. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { expected: `an integer from ${minimum} to ${inFigures(maximum)}` })
  )

export const Tabs = integer(0, caps.tabs)

export const Ids = Schema.Array(cleaned(Schema.String, cutId)).check(
  Schema.isMaxLength(caps.items, { expected: `an array of at most ${caps.items} ids` })
)

/** A reference; null and the empty string both mean none, since reads give null. */
export const Reference = Schema.NullOr(IdText)

/** Keys that reads return and writes ignore, so that a client can send an object back (docs/decisions.md#errors). */
export const ignored = <const Names extends ReadonlyArray<string>>(...names: Names) =>
  Object.fromEntries(names.map((name) => [name, readOnly(Schema.Unknown, "Reads return it; a write ignores it.")])) as {
    readonly [Name in Names[number]]: Schema.optionalKey<Schema.Unknown>
  }

/** A key that reads return and writes do not set. */
export const readOnly = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ readOnly: true, description }))

/** Descriptions of fields that read the same in requests and in answers. */
export const meanings = {
  text: "Text in a markdown dialect: `**bold**`, `*italic*`, `~~strike~~`, code in backticks, `[label](url)`. Not parsed when `code` is true.",
  tabs: "The indent level: 0 is the top level; 1 or more nests under the nearest preceding thing with a smaller `tabs`.",
  favorited: "Starred.",
  bold: "The whole thing in bold.",
  italic: "The whole thing in italics.",
  underline: "The whole thing underlined."
} as const

export const formatting = {
  bold: optional(Schema.Boolean, meanings.bold, true),
  italic: optional(Schema.Boolean, meanings.italic, true),
  underline: optional(Schema.Boolean, meanings.underline, true),
  header: optional(Schema.Boolean, "A heading; also bold, unless `bold` says otherwise. Excludes `subheader`.", true),
  subheader: optional(
    Schema.Boolean,
    "A smaller heading; also bold, unless `bold` says otherwise. Excludes `header`.",
    true
  ),
  quote: optional(Schema.Boolean, "A block quote. Excludes `code`.", true),
  code: optional(Schema.Boolean, "A code block; its text is not parsed. Excludes `quote`.", true)
}
