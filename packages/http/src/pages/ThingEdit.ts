import { Schema } from "effect"
import { type Thing, thingTypes, type ThingType } from "@lists-and-things/domain/model/Thing"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { type Origin, originHtml } from "./ListHtml.ts"
import { editedIn, type RefusedEdit, saveButtons, seenInput, staleText, valuesOf } from "./Seen.ts"

const editFields = ["text", "note", "tags", "type", "url", "photos"] as const
export type EditField = (typeof editFields)[number]

/** The edit changes what was changed elsewhere since its form was shown; nothing was saved. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", {
  fields: Schema.Array(Schema.Literals(editFields))
}) {}

/** The form of a reminder would replace one that was changed elsewhere since it was shown; nothing was saved. */
export class StaleReminder extends Schema.TaggedError<StaleReminder>()("StaleReminder", {}) {
  override get message(): string {
    return "Meanwhile the reminder of this thing was changed elsewhere, so nothing of yours is saved yet. Both are below: save yours in its place, or keep what is saved."
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

/** The fields as the form shows them. */
const shownOf = ({ note, photos, tags, text, type, url }: Thing): Readonly<Record<EditField, string>> => ({
  text: oneLineEnd(text),
  note: oneLineEnd(note),
  tags: tags.join(", "),
  type,
  url: oneLineEnd(url),
  photos: photos.join("\n")
})

const oneLineEnd = (text: string): string => text.replaceAll(/\r\n?/g, "\n")

/** What an edit asks for, as a request of the API would say it; `stale` was changed elsewhere as well. */
export const editOf = (
  fields: URLSearchParams,
  thing: Thing
): { readonly typed: Readonly<Record<string, unknown>>; readonly stale: ReadonlyArray<EditField> } => {
  const { edited, stale } = editedIn(fields, shownOf(thing))
  return { typed: Object.fromEntries(edited.map((field) => [field, valueOf(field, textIn(fields, field))])), stale }
}

const valueOf = (field: EditField, text: string): string | ReadonlyArray<string> => {
  if (field === "tags") return text.split(",")
  return field === "photos" ? text.split(/\s+/).filter((url) => url !== "") : text
}

const fieldNames: Readonly<Record<EditField, string>> = {
  text: "Text",
  note: "Note",
  tags: "Tags",
  type: "Kind",
  url: "Link",
  photos: "Photos"
}

export const staleMessage = (stale: ReadonlyArray<EditField>): string =>
  staleText(
    stale.map((field) => fieldNames[field].toLowerCase()),
    "thing",
    stale.length > 1 || stale.includes("tags") || stale.includes("photos")
  )

/** What the form of an edit shows. */
export interface Edit {
  readonly thing: Thing
  readonly origin: Origin
  readonly refused?: RefusedEdit<EditField>
}

/** A text in a field of several lines. It starts with a line break, since HTML parsers drop one right after the tag. */
const area = (id: string, value: string): Html => html`<textarea id="${id}" name="${id}">${"\n"}${value}</textarea>`

/** Text, note, tags, kind, link and photos; where they were changed elsewhere meanwhile, with what is saved now. */
export const editForm = ({ origin, refused, thing }: Edit): Html => {
  const { saved, seen, value } = valuesOf(shownOf(thing), refused)
  const field = (name: EditField, input: Html): Html =>
    html`<p class="field"><label for="${name}">${fieldNames[name]}</label>${input}</p>${savedHtml(name, saved(name))}`
  const type = value("type")
  return html`<form class="card" method="post" action="/things/${thing.id}/edit" enctype="multipart/form-data">
    ${originHtml(origin)}${editFields.map((name) => seenInput(name, seen(name)))}
    ${field("text", area("text", value("text")))} ${field("note", area("note", value("note")))}
    <div class="pair">
      ${field("tags", html`<input id="tags" name="tags" value="${value("tags")}" aria-describedby="tags-hint" /><span class="hint" id="tags-hint">With commas between.</span>`)}
      ${field(
        "type",
        html`<select id="type" name="type">${thingTypes.map(
          (each) => html`<option value="${each}"${each === type ? html` selected` : ""}>${typeNames[each]}</option>`
        )}</select>`
      )}
    </div>
    ${field("url", html`<input id="url" name="url" inputmode="url" value="${value("url")}" />`)}
    ${field(
      "photos",
      html`<textarea id="photos" name="photos" inputmode="url" aria-describedby="photos-hint">${"\n"}${value("photos")}</textarea><span class="hint" id="photos-hint">Addresses of images on the web, one per line.</span>`
    )}
    ${saveButtons(refused?.stale !== undefined, `/things/${thing.id}`)}
  </form>`
}

const savedHtml = (name: EditField, value: string | undefined): Html => {
  if (value === undefined) return html``
  const id = `saved-${name}`
  const shown =
    name === "text" || name === "note" || name === "photos"
      ? html`<textarea id="${id}" readonly>${"\n"}${value}</textarea>`
      : html`<input id="${id}" readonly value="${name === "type" ? typeName(value as ThingType) : value}" />`
  return html`<p class="field"><label for="${id}">${fieldNames[name]}, as it is saved now</label>${shown}</p>`
}

/** In the place of a thing that was deleted while it was edited: what was typed. */
export const goneHtml = (typed: URLSearchParams): Html =>
  html`<p class="problem" role="alert">Meanwhile this thing was deleted elsewhere, so nothing of yours is saved. What you wrote is below; the <a href="/account/history">history</a> can bring the thing back.</p>
    <h1>Deleted</h1>
    <div class="card">${editFields
      .filter((field) => field !== "type" && textIn(typed, field) !== "")
      .map(
        (field) =>
          html`<p class="field"><label for="${field}">${fieldNames[field]}</label><textarea id="${field}" readonly>${"\n"}${textIn(typed, field)}</textarea></p>`
      )}</div>`
