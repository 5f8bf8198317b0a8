import { Effect, Schema } from "effect"
import { type IdKind, InvalidInput, NotFound, type StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { truncate } from "../text/Characters.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"

/** An id names no list of the owner's. What it names instead is found out by whoever tells the client. */
export class UnknownListId extends Schema.TaggedError<UnknownListId>()("UnknownListId", { id: Schema.String }) {}

/** A key or token that somebody sent in the place of an id: no message repeats it, whoever reads it later. */
const secrets = /lat_[0-9A-Za-z_]+/g

/** An id as messages repeat it: cut, since it can be as long as a request. */
export const shownId = (id: string): string =>
  `'${truncate(id.replaceAll("\u0000", "").replaceAll(secrets, "lat_…").toWellFormed(), 80)}'`

/**
 * What a client reads of an id that names nothing (docs/decisions.md#ids): the id, and what it names instead where that is the
 * owner's too. The id of another owner reads as one that nobody has.
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

  /** Fails for an id that was looked for in vain; `field` is what the request calls it, if not in its path. */
  const notFound = Effect.fnUntraced(function* (
    owner: AccountId,
    wanted: "list" | "thing" | "list or thing",
    id: string,
    field?: string
  ): Effect.fn.Return<never, NotFound | StorageUnavailable> {
    const found = yield* kindOf(owner, id)
    const named = field === undefined ? shownId(id) : `${field} ${shownId(id)}`
    const nothing =
      field === undefined ? `No ${wanted} of yours has the id ${named}.` : `${named} is no ${wanted} of yours.`
    return yield* new NotFound({
      message: found === undefined ? nothing : `${named} is a ${found}, not a ${wanted}.`,
      ...(found === undefined ? {} : { found }),
      ...(field === undefined ? {} : { field })
    })
  })

  /** The same for an id within a body, which is no resource of the request. */
  const invalid = Effect.fnUntraced(function* (
    owner: AccountId,
    field: string,
    wanted: "list" | "thing",
    id: string
  ): Effect.fn.Return<never, InvalidInput | StorageUnavailable> {
    const found = yield* kindOf(owner, id)
    const why = found === undefined ? `you have none with the id ${shownId(id)}` : `${shownId(id)} is a ${found}`
    return yield* new InvalidInput({ field, reason: `must be the id of a ${wanted} of yours: ${why}` })
  })

  return { notFound, invalid }
})
