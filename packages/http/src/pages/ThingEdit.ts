import { Schema } from "effect"
import { caps } from "@lists-and-things/domain/model/Caps"
import { type Thing, thingTypes, type ThingType } from "@lists-and-things/domain/model/Thing"
import {
  formatFlags,
  type FormatFlag,
  formatOf,
  formatPatch,
  singleFormats,
  type ThingFormat
} from "@lists-and-things/domain/things/ThingFormat"
import {
  described as describedBy,
  type FieldProblem,
  onceHtml,
  type OnceOrigin,
  oneLine,
  select,
  wrongHtml
} from "./FormFields.ts"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { editedIn, type RefusedEdit, saveButtons, seenInput, staleText, valuesOf } from "./EditConflicts.ts"

const editFields = ["text", "note", "tags", "type", "format", "url", "photos"] as const
export type EditField = (typeof editFields)[number]

/** The edit changes fields that were changed elsewhere since its form was shown; nothing was saved. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", {
  fields: Schema.Array(Schema.Literals(editFields))
}) {}

/** The form of a reminder would replace one that was changed elsewhere since it was shown; nothing was saved. */
export class StaleReminder extends Schema.TaggedError<StaleReminder>()("StaleReminder", {}) {
  override get message(): string {
    return staleText(["reminder"], "thing")
  }
}

/** The form of a reminder was shown on the clock of another time zone; nothing was saved. */
export class StaleZone extends Schema.TaggedError<StaleZone>()("StaleZone", {
  shown: Schema.String,
  zone: Schema.String
}) {
  override get message(): string {
    return `In the meantime the time zone of the account was changed from ${this.shown} to ${this.zone}, so the reminder is not saved yet. Check its day and time, which are now in ${this.zone}, and save it again.`
  }
}

/** The thing of an edit is gone. */
export class Deleted extends Schema.TaggedError<Deleted>()("Deleted", {}) {}

const typeNames: Readonly<Record<ThingType, string>> = {
  todo: "To do",
  bullet: "Bullet",
  dash: "Dash",
  number: "Numbered",
  none: "Plain text",
  photo: "Photo"
}

export const typeName = (type: ThingType): string => typeNames[type]

const formatNames: Readonly<Record<FormatFlag, string>> = {
  header: "Heading",
  subheader: "Smaller heading",
  quote: "Quote",
  code: "Code"
}

const formatName = ([first, ...more]: ThingFormat): string =>
  first === undefined
    ? "Normal"
    : [formatNames[first], ...more.map((flag) => formatNames[flag].toLowerCase())].join(" and ")

/** A format as the form sends it. */
const formatValue = (format: ThingFormat): string => format.join("-")

const formatIn = (value: string): ThingFormat => {
  const given = value.split("-", formatFlags.length)
  return formatFlags.filter((flag) => given.includes(flag))
}

/** The formats to choose from, including a combination that the thing has. */
const formatsFor = (thing: Thing): ReadonlyArray<ThingFormat> => {
  const own = formatOf(thing)
  return own.length > 1 ? [...singleFormats, own] : singleFormats
}

/** The fields as the form shows them. */
const shownOf = (thing: Thing): Readonly<Record<EditField, string>> => ({
  text: oneLineEnd(thing.text),
  note: oneLineEnd(thing.note),
  tags: oneLine(thing.tags.map(quoted).join(", ")),
  type: thing.type,
  format: formatValue(formatOf(thing)),
  url: oneLine(thing.url),
  photos: thing.photos.map(oneLine).join("\n")
})

const oneLineEnd = (text: string): string => text.replaceAll(/\r\n?/g, "\n")

/** The edit as the API would take it; `stale` are edited fields that were also changed elsewhere. */
export const editOf = (
  fields: URLSearchParams,
  thing: Thing
): { readonly typed: Readonly<Record<string, unknown>>; readonly stale: ReadonlyArray<EditField> } => {
  const { edited, stale } = editedIn(fields, shownOf(thing))
  return { typed: Object.assign({}, ...edited.map((field) => patchOf(field, textIn(fields, field), thing))), stale }
}

const patchOf = (field: EditField, text: string, thing: Thing): Readonly<Record<string, unknown>> => {
  switch (field) {
    case "tags":
      return { tags: tagsIn(text) }
    case "format":
      return formatPatch(formatIn(text), thing)
    case "photos":
      return { photos: addressesIn(text) }
    default:
      return { [field]: text }
  }
}

/** The parts of a text. More than any field takes, which would take long to read, are refused as one. */
const partsOf = (text: string, separator: string | RegExp): ReadonlyArray<string> => {
  const parts = text.split(separator, caps.items + 1)
  return parts.length > caps.items ? [text] : parts
}

/** A tag as the field shows it: one that contains a comma in quotes, with quotes of its own doubled. */
const quoted = (tag: string): string => (tag.includes(",") ? `"${tag.replaceAll('"', '""')}"` : tag)

/** As long as the longest tags are in the field; what is longer is refused, and is not searched for quotes. */
const maxQuotedLength = 5 * caps.tags * caps.tag

/** Tags with commas between. Quotes keep a tag together that contains one, and otherwise are part of a tag. */
const tagsIn = (text: string): ReadonlyArray<string> => {
  const parts = partsOf(text, ",")
  if (text.length > maxQuotedLength) return parts
  const tags: Array<string> = []
  for (let at = 0; at < parts.length; at++) {
    const end = quoteEnd(parts, at)
    if (end > at) {
      const inside = parts
        .slice(at, end + 1)
        .join(",")
        .trim()
        .slice(1, -1)
      tags.push(inside.replaceAll('""', '"'))
      at = end
    } else tags.push(parts[at]!)
  }
  return tags
}

/** The part that ends the quotes with which a part begins; -1 without them. */
const quoteEnd = (parts: ReadonlyArray<string>, begin: number): number => {
  if (!parts[begin]!.trimStart().startsWith('"')) return -1
  let quotes = 0
  return parts.findIndex((part, at) => {
    if (at < begin) return false
    quotes += part.split('"').length - 1
    return quotes % 2 === 0 && part.trimEnd().endsWith('"')
  })
}

/** One address per line; several on a line are separated before their schemes, since an address may contain blanks. */
const addressesIn = (text: string): ReadonlyArray<string> =>
  partsOf(text, /\n|\s(?=https?:\/\/)/i).flatMap((address) => address.trim() || [])

const fieldNames: Readonly<Record<EditField, string>> = {
  text: "Text",
  note: "Note",
  tags: "Tags",
  type: "Type",
  format: "Format",
  url: "Link",
  photos: "Photos"
}

export const staleMessage = (stale: ReadonlyArray<EditField>): string =>
  staleText(
    stale.map((field) => fieldNames[field].toLowerCase()),
    "thing",
    stale.length > 1 || stale.includes("tags") || stale.includes("photos")
  )

/** What the form of an edit needs to show. */
export interface Edit {
  readonly thing: Thing
  readonly origin: OnceOrigin
  readonly refused?: RefusedEdit<EditField>
  readonly problem?: FieldProblem
}

/** A text in a field of several lines. It starts with a line break, since HTML parsers drop one right after the tag. */
const area = (id: string, value: string, more: Html): Html =>
  html`<textarea id="${id}" name="${id}"${more}>${"\n"}${value}</textarea>`

/** Fields that are folded away unless they need attention. */
const foldedFields: ReadonlySet<EditField> = new Set(["type", "format", "url", "photos"])

const isUnfolded = (refused: Edit["refused"]): boolean =>
  refused?.typed.has("format") === true &&
  (refused.stale === undefined || refused.stale.some((field) => foldedFields.has(field)))

/**
 * The form with text, note, tags, kind, format, link and photos; after a conflicting change elsewhere, also with what
 * is saved now.
 */
export const editForm = ({ origin, problem, refused, thing }: Edit): Html => {
  const stored = shownOf(thing)
  const { saved, seen, value } = valuesOf(stored, refused)
  const field = (name: EditField, input: Html): Html =>
    html`<p class="field"><label for="${name}">${fieldNames[name]}</label>${input}${wrongHtml(name, problem)}</p>${savedHtml(name, saved(name))}`
  const described = (name: EditField, hint = ""): Html => describedBy(name, problem, hint)
  const types = thingTypes.map((type) => [type, typeNames[type]] as const)
  const formats = formatsFor(thing).map((format) => [formatValue(format), formatName(format)] as const)
  return html`<form class="card" method="post" action="/things/${thing.id}/edit" enctype="multipart/form-data">
    ${onceHtml(origin)}${editFields.map((name) => seenInput(name, seen(name)))}
    ${field("text", area("text", value("text"), described("text")))} ${field("note", area("note", value("note"), described("note")))}
    ${field("tags", html`<input id="tags" name="tags" value="${value("tags")}"${described("tags", "tags-hint")} /><span class="hint" id="tags-hint">Separated by commas.</span>`)}
    <details${isUnfolded(refused) ? html` open` : ""}>
      <summary>Type, format, link and photos</summary>
      <div class="fields">
        <div class="pair">
          ${field("type", select<string>("type", types, value("type")))}
          ${field("format", html`${select("format", formats, value("format"), "format-hint")}<span class="hint" id="format-hint">A heading has no checkbox.</span>`)}
        </div>
        ${field("url", html`<input id="url" name="url" inputmode="url" value="${value("url")}"${described("url")} />`)}
        ${field(
          "photos",
          html`${area("photos", value("photos"), html` inputmode="url"${described("photos", "photos-hint")}`)}<span class="hint" id="photos-hint">Addresses of images on the web, one per line.</span>`
        )}
      </div>
    </details>
    ${saveButtons(`/things/${thing.id}`, stored, refused)}
  </form>`
}

const savedHtml = (name: EditField, value: string | undefined): Html => {
  if (value === undefined) return html``
  const id = `saved-${name}`
  const shown =
    name === "text" || name === "note" || name === "photos"
      ? html`<textarea id="${id}" readonly>${"\n"}${value}</textarea>`
      : html`<input id="${id}" readonly value="${savedName(name, value)}" />`
  return html`<p class="field"><label for="${id}">${fieldNames[name]}, as currently saved</label>${shown}</p>`
}

const savedName = (name: EditField, value: string): string => {
  if (name === "type") return typeName(value as ThingType)
  return name === "format" ? formatName(formatIn(value)) : value
}

/** The page for a thing that was deleted while it was edited: what was typed. */
export const goneHtml = (typed: URLSearchParams): Html =>
  html`<p class="problem" role="alert">This thing was deleted elsewhere in the meantime, so your changes are not saved. What you wrote is below; you can restore the thing from the <a href="/account/history">history</a>.</p>
    <h1>Deleted</h1>
    <div class="card">${editFields
      .filter((field) => field !== "type" && field !== "format" && textIn(typed, field) !== "")
      .map(
        (field) =>
          html`<p class="field"><label for="${field}">${fieldNames[field]}</label><textarea id="${field}" readonly>${"\n"}${textIn(typed, field)}</textarea></p>`
      )}</div>`
