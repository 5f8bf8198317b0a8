import { caps } from "@lists-and-things/domain/model/Caps"
import { Preconditions, type Subject } from "@lists-and-things/domain/preconditions/Preconditions"
import { Effect, Schema, SchemaTransformation } from "effect"
import { withT } from "@lists-and-things/domain/days/When"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { createThingFields, targetFields, updateThingFields } from "@lists-and-things/domain/json/ThingInput"

/** Arguments shared by several tools, with their descriptions for a model. */

const optionalKey = Schema.optionalKey

/** Argument: an id. Annotates the encoded side, which descriptions and refusals show. */
export const idLike = (example: string, hint?: string) =>
  Schema.annotateEncoded<typeof Fields.IdText>({ examples: [example], ...(hint !== undefined && { hint }) })(
    Fields.IdText
  )

export const ListId = idLike(exampleIds.list)
export const ThingId = idLike(exampleIds.thing)

/** Argument: a list by name. */
const ListName = Fields.Name.annotate({
  hint: "A title, today, tomorrow, yesterday or an ISO date.",
  examples: ["today"]
})

export const target = {
  listId: targetFields.listId,
  list: optionalKey(ListName)
}

/**
 * Argument: the number of characters after which texts are cut. Since no text exceeds its cap, larger numbers have no
 * further effect.
 */
export const MaxText = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { expected: "an integer from 1" }))
  .annotate({ hint: "Cuts texts to this many characters; default 280.", examples: [280] })
  .pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transform({
        decode: (wanted: number) => Math.min(wanted, caps.text),
        encode: (max: number) => max
      })
    )
  )

export const Page = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "an integer from 0" })).annotate({
  hint: "Page number, from 0.",
  examples: [1]
})

/** Argument: an ISO 8601 time. Checked in its encoded form, so that an error has the name that was sent. */
export const time = (hint: string, example = "2026-11-23T09:00") =>
  Fields.timeTextAs(withT)
    .annotate({ hint, examples: [example] })
    .pipe(
      Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: withT, encode: (text: string) => text }))
    )

/** Argument: the `updated` of a thing as the client last saw it. */
export const ifUpdated = optionalKey(
  time("The thing's updated as you saw it. Nothing is changed if it differs now.", "2026-11-20T08:05:12.345Z")
)

/**
 * Refuses a write if the `updated` of its subject is not the one that was seen; without one, the write is
 * unconditional.
 */
export const unlessUpdated =
  (subject: Subject, seen: string | undefined) =>
  <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Preconditions, (preconditions) =>
      seen === undefined ? write : preconditions.ifUpdated(subject, seen, write)
    )

export const Detail = Schema.Literals(["compact", "full"])

/** An id; an empty string means none. */
const Cleared = idLike(exampleIds.list)

/** A thing's fields in `create_thing`, `create_things` and `create_list`. */
export const newThing = {
  ...createThingFields,
  listRef: optionalKey(Cleared),
  created: optionalKey(time("Creation time, to backdate; default now.")),
  cloneOf: optionalKey(idLike(exampleIds.thing, "Id of a thing to make a live linked copy of.")),
  tabs: optionalKey(
    Fields.Tabs.annotate({ hint: "Indent level: 1 = under the preceding thing at level 0.", examples: [1] })
  ),
  note: optionalKey(Fields.Note.annotate({ hint: "Long note in markdown.", examples: ["The blue carton."] }))
}

const { occurrence: _occurrence, ...changes } = updateThingFields

/** Fields of `update_thing`, without the occurrence. */
export const changedThing = { ...changes, ...target, listRef: optionalKey(Cleared) }

const { text: _text, note: _note, photos: _photos, ...changesOfMany } = changedThing

/** Fields of `update_things`. */
export const changedThings = changesOfMany
