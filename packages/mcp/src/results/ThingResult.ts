import { Schema } from "effect"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { ThingJson, thingJson } from "@lists-and-things/domain/json/ThingJson"
import type { Thing } from "@lists-and-things/domain/model/Thing"

const optionalKey = Schema.optionalKey
const styles = ["bold", "italic", "underline", "header", "subheader", "quote", "code"] as const

const { id, text, type, list_id, updated, ...others } = ThingJson.fields
const optional = Object.fromEntries(
  Object.entries(others).map(([name, field]) => [name, optionalKey(field as Schema.Top)])
) as { readonly [Name in keyof typeof others]: Schema.optionalKey<(typeof others)[Name]> }

const styling = {
  style: optionalKey(Schema.Array(Schema.Literals(styles))),
  has_note: optionalKey(Schema.Literal(true))
}

/** A thing without false and empty fields. */
export const CompactThing = Schema.Struct({
  id,
  text,
  type,
  list_id,
  url: optional.url,
  tags: optional.tags,
  tabs: optional.tabs,
  completed: optional.completed,
  canceled: optional.canceled,
  favorited: optional.favorited,
  ...styling,
  photos: optional.photos,
  list_ref: optionalKey(Schema.String),
  clone_of: optionalKey(Schema.String),
  updated
})
export type CompactThing = typeof CompactThing.Type

const { list_ref: _listRef, clone_of: _cloneOf, ...shared } = CompactThing.fields

/** A thing in a tool's result: compact, or the contract's Thing, whose further fields are not listed here. */
export const ThingResult = Schema.StructWithRest(Schema.Struct(shared), [Schema.Record(Schema.String, Schema.Unknown)])
export type ThingResult = CompactThing | ThingJson

/** Characters after which a note is cut where no `max_text` is asked for; a note may have a million. */
export const maxNote = 20_000

export interface ResultOptions {
  readonly detail?: "compact" | "full"
  /** Characters of a text or note; longer ones are truncated with `…`. */
  readonly maxText?: number
}

export const thingResult = (thing: Thing, shown: ResultOptions = {}): ThingResult =>
  shown.detail === "full" ? fullThing(thing, shown.maxText) : compactThing(thing, shown.maxText)

const fullThing = (thing: Thing, maxText: number | undefined): ThingJson => {
  const json = thingJson(thing, maxText)
  return maxText === undefined ? json : { ...json, note: truncate(json.note, maxText) }
}

/** Leaves out what is false or empty; `maxText` counts characters of the text. */
export const compactThing = (thing: Thing, maxText?: number): CompactThing => {
  const json = thingJson(thing, maxText)
  const style = styles.filter((name) => json[name])
  return {
    id: json.id,
    text: json.text,
    type: json.type,
    list_id: json.list_id,
    ...(json.url === "" ? {} : { url: json.url }),
    ...(json.tags.length === 0 ? {} : { tags: json.tags }),
    ...(json.tabs === 0 ? {} : { tabs: json.tabs }),
    ...(json.completed ? { completed: true } : {}),
    ...(json.canceled ? { canceled: true } : {}),
    ...(json.favorited ? { favorited: true } : {}),
    ...(style.length === 0 ? {} : { style }),
    ...(json.note === "" ? {} : { has_note: true as const }),
    ...(json.photos.length === 0 ? {} : { photos: json.photos }),
    ...(json.list_ref === null ? {} : { list_ref: json.list_ref }),
    ...(json.clone_of === null ? {} : { clone_of: json.clone_of }),
    updated: json.updated
  }
}
