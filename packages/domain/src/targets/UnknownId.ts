import { Effect, Schema } from "effect"
import { isDayWord } from "../days/Day.ts"
import { type IdKind, InvalidInput, NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { notify } from "../model/CurrentOperation.ts"
import { type AccountId, isIdForm } from "../model/Ids.ts"
import { quoted } from "../text/Quoted.ts"
import { withoutSecrets } from "../json/ShownValue.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"

/** An id names no list of the owner's. The kind of item it names instead is looked up when the message is written. */
export class UnknownListId extends Schema.TaggedError<UnknownListId>()("UnknownListId", { id: Schema.String }) {}

/** An id as repeated in messages: truncated, since it can be as long as the request. */
export const shownId = (id: string): string => quoted(withoutSecrets(id.replaceAll("\u0000", "")))

/** What a client reads of an id that was not found, and of what it names instead. */
export const unknownIdMessage = (
  wanted: string,
  id: string,
  { field, found }: { readonly field?: string | undefined; readonly found?: IdKind | undefined } = {}
): string => {
  const named = field === undefined ? shownId(id) : `${field} ${shownId(id)}`
  if (found !== undefined) return `${named} is a ${found}, not a ${wanted}.`
  return field === undefined ? `No ${wanted} of yours has the id ${named}.` : `${named} is no ${wanted} of yours.`
}

/** Says where an id belongs that was given as the name of a list; undefined for what may be a name. */
export const hintForIdAsName = (list: string): string | undefined =>
  isIdForm(list.trim().toLowerCase()) ? "Give an id as list_id." : undefined

/** Says where a day belongs that was given as the id of a list; undefined for what may be an id. */
export const hintForDayAsId = (listId: string): string | undefined => {
  const day = listId.trim().toLowerCase()
  return isDayWord(day) ? `Give the day as list: ${JSON.stringify(day)}.` : undefined
}

/** The notice of a deletion that found nothing, which is a success. `why` is from `describe`. */
export const nothingDeleted = (why: string): string => `Nothing was deleted: ${why}.`

const described = (wanted: string, id: string, found: IdKind | undefined): string =>
  found === undefined ? `${shownId(id)} is no ${wanted} of yours` : `${shownId(id)} is a ${found}`

/**
 * The message for an unknown id (docs/decisions.md#ids): the id, and the kind of item it names instead when that
 * belongs to the owner. The id of another owner reads like one that does not exist.
 */
export const makeUnknownIds = Effect.gen(function* () {
  const lists = yield* ListStore
  const things = yield* ThingStore
  const places = yield* PlaceStore
  const reminders = yield* ReminderStore

  const kindOf = Effect.fnUntraced(function* (
    owner: AccountId,
    id: string
  ): Effect.fn.Return<IdKind | undefined, StorageUnavailable> {
    if ((yield* lists.get(owner, id)) !== undefined) return "list"
    if ((yield* things.get(owner, id)) !== undefined) return "thing"
    if ((yield* places.get(owner, id)) !== undefined) return "place"
    return (yield* reminders.has(owner, id)) ? "reminder" : undefined
  })

  /** Fails for an id that was not found; `field` is its name in the request, unless it is in the path. */
  const notFound = Effect.fnUntraced(function* (
    owner: AccountId,
    wanted: "list" | "thing" | "list or thing",
    id: string,
    field?: string
  ): Effect.fn.Return<never, NotFound | StorageUnavailable> {
    const found = yield* kindOf(owner, id)
    const other = field === "list_id" ? hintForDayAsId(id) : undefined
    const message = unknownIdMessage(wanted, id, { found, field })
    return yield* new NotFound({
      message: other === undefined ? message : `${message} ${other}`,
      ...(other !== undefined && { remedy: "read" }),
      ...(found !== undefined && { found }),
      ...(field !== undefined && { field })
    })
  })

  /** The same for an id within a body, which does not identify the requested resource. */
  const invalid = Effect.fnUntraced(function* (
    owner: AccountId,
    field: string,
    wanted: "list" | "thing",
    id: string
  ): Effect.fn.Return<never, InvalidInput | StorageUnavailable> {
    const found = yield* kindOf(owner, id)
    const why = found === undefined ? `you have none with the id ${shownId(id)}` : `${shownId(id)} is a ${found}`
    const other = /(?:^|\.)list_id$/.test(field) ? hintForDayAsId(id) : undefined
    return yield* new InvalidInput({
      field,
      reason: `must be the id of a ${wanted} of yours: ${why}${other === undefined ? "" : `. ${other}`}`,
      ...(wanted === "list" && { remedy: other === undefined ? "find-list" : "read" })
    })
  })

  /** Why an id was left out: what it names instead, or that it names nothing. */
  const describe = (owner: AccountId, wanted: "list" | "thing", id: string) =>
    Effect.map(kindOf(owner, id), (found) => described(wanted, id, found))

  /** A notice for an id for which nothing was found, with `advice`, unless the id is one of the expected kind. */
  const notifyUnknown = Effect.fnUntraced(function* (
    owner: AccountId,
    wanted: "list" | "thing",
    id: string,
    advice?: string
  ) {
    const found = yield* kindOf(owner, id)
    if (found === wanted) return
    const said = `Nothing was found: ${described(wanted, id, found)}.`
    yield* notify(advice === undefined ? said : `${said} ${advice}`)
  })

  return { notFound, invalid, describe, notifyUnknown }
})
