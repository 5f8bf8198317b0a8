import { Effect } from "effect"
import { dateOfWrite } from "@lists-and-things/domain/days/ClockSkew"
import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { isPlain, type KeyedThing, type NewThing, type ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { growthOf, nothing, plus, type Size, sizeOf } from "@lists-and-things/domain/model/Size"
import { fitsWithin, type Limits } from "@lists-and-things/domain/size/SizeLimits"
import { positionAllocator } from "@lists-and-things/domain/things/PositionAllocator"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import type { Database } from "../Database.ts"
import { isRepeated, recordKeyed } from "./KeyedWrites.ts"
import { type OwnerData, touchLists } from "../OwnerData.ts"

/** What the writes of a single thing need. */
export interface WriteContext {
  readonly database: Database["Service"]
  readonly store: ThingStore["Service"]
  readonly limits: Limits
}

/** Checks before the write begins whether the thing is refused, so that a refused one takes no write timestamp. */
export const append = (context: WriteContext, fields: NewThing, keyed: KeyedThing | undefined) =>
  Effect.gen(function* () {
    const { database, limits } = context
    if (keyed !== undefined && !(yield* isAlone(database))) return "repeated" as const
    const refusal = yield* database.read(fields.owner, (data) => refusalOf(data, limits, fields, keyed))
    if (refusal === undefined) return yield* appendInto(context, fields, keyed)
    return refusal === "no list" ? undefined : refusal
  })

/** Whether a write would be a transaction of its own and is no dry run. */
export const isAlone = (database: Database["Service"]) =>
  Effect.gen(function* () {
    return !(yield* database.isWithin) && (yield* CurrentOperation)?.inspect === undefined
  })

const refusalOf = (data: OwnerData, limits: Limits, fields: NewThing, keyed: KeyedThing | undefined) => {
  if (isRepeated(data, keyed)) return "repeated" as const
  if (!data.lists.has(fields.listId)) return "no list" as const
  return fits(data, limits, new Map([[fields.listId, sizeOf(fields)]])) ? undefined : ("no room" as const)
}

const appendInto = ({ database, limits, store }: WriteContext, fields: NewThing, keyed: KeyedThing | undefined) =>
  database.transact(fields.owner, (writeTimestamp) =>
    Effect.gen(function* () {
      const { owner, listId } = fields
      const refusal = yield* database.read(owner, (data) => refusalOf(data, limits, fields, keyed), "no list" as const)
      if (refusal === "no list") return undefined
      if (refusal !== undefined) return refusal
      const created = yield* dateOfWrite(writeTimestamp)
      const [position] = yield* positionAllocator(store, owner, created).allocate([{ listId }])
      const thing: Thing = { ...fields, position: position!, created, updated: writeTimestamp }
      yield* store.insert(owner, [thing])
      yield* database.write(owner, (data) => touchLists(data, [listId], writeTimestamp))
      yield* recordKeyed(database, owner, keyed, thing)
      return thing
    })
  )

/**
 * Checks before the write begins that the thing is plain and as it was seen, so that a refused write takes no write
 * timestamp.
 */
export const revise = (
  { database, limits, store }: WriteContext,
  ...[owner, id, decide, { keyed, seen } = {}]: Parameters<ThingStore["Service"]["revise"]>
) =>
  Effect.gen(function* () {
    if (!(yield* isAlone(database))) return undefined
    if (yield* database.read(owner, (data) => isRepeated(data, keyed), false)) return undefined
    const found = yield* plainThing(database, owner, id)
    if (found === undefined || (seen !== undefined && found.thing !== seen.thing)) return undefined
    const after = yield* decide(found)
    if (after === undefined) return undefined
    if (!(yield* database.read(owner, (data) => fits(data, limits, growthOf([found.thing], [after])), false)))
      return undefined
    return yield* database.transact(owner, (updated) =>
      Effect.gen(function* () {
        if ((yield* plainThing(database, owner, id))?.thing !== found.thing) return undefined
        if (yield* database.read(owner, (data) => isRepeated(data, keyed), false)) return undefined
        yield* store.put(owner, [{ ...after, updated }])
        yield* recordKeyed(database, owner, keyed, { ...after, updated })
        yield* database.write(owner, (data) => touchLists(data, [after.listId], updated))
        return { ...after, updated }
      })
    )
  })

const plainThing = (database: Database["Service"], owner: AccountId, id: string) =>
  database.read(owner, (data) => {
    const thing = data.things.get(id)
    const found = thing && { thing, reminder: data.reminders.get(id) }
    return found !== undefined && isPlain(found) ? found : undefined
  })

/** Whether this growth, per list, fits within the limits of each list and of the account. */
export const fits = (data: OwnerData, limits: Limits, growth: ReadonlyMap<ListId, Size>): boolean =>
  [...growth].every(([id, size]) => fitsWithin(limits.list, data.sizes.get(id) ?? nothing, size)) &&
  fitsWithin(limits.account, data.size, [...growth.values()].reduce(plus, nothing))
