import { Effect } from "effect"
import { CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { type EntityChange, writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings } from "./Fixtures.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The stores that the suites of the history write to and read from. */
export const historyStores = Effect.gen(function* () {
  return {
    storage: yield* Storage,
    accounts: yield* AccountStore,
    lists: yield* ListStore,
    things: yield* ThingStore,
    reminders: yield* ReminderStore,
    places: yield* PlaceStore,
    history: yield* HistoryStore
  }
})

/** An account with a list of two things, stored without operations. */
export const homeOfTwo = Effect.gen(function* () {
  const account = yield* newAccount()
  const owner = account.id
  const home = yield* newList(owner, { title: "Home" })
  const [milk, tea] = yield* newThings(owner, home.id, [{ text: "Milk" }, { text: "Tea" }])
  return { ...(yield* historyStores), account, owner, home, milk: milk!, tea: tea! }
})

/** A call of a client, as a host creates it. */
export const makeCall = (overrides: Partial<OperationCall> = {}): OperationCall => ({
  name: "updateThing",
  surface: "rest",
  by: { type: "key", id: "a1b2c3", name: "Phone" },
  requestId: null,
  ...overrides
})

/** Runs an effect as the work of one call. */
export const withCall =
  (call: OperationCall) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, CurrentOperation, call)

/** Runs the body in one transaction and returns the id of the operation that it recorded; undefined for none. */
export const written = Effect.fnUntraced(function* <A, E, R>(
  owner: AccountId,
  body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = makeCall(overrides)
  yield* Effect.flatMap(Storage, (storage) => storage.transact(owner, body)).pipe(withCall(call))
  return call.recorded
})

/** What an operation changed; undefined if its images were pruned. */
export const changesOf = Effect.fnUntraced(function* (owner: AccountId, id: string | undefined, limit = 10_000) {
  const at = writeTimestampOf(id ?? "")
  if (at === undefined) return yield* Effect.die(new Error("No operation was recorded"))
  return yield* Effect.flatMap(HistoryStore, (history) => history.entities(owner, at, limit))
})

/** A change without its images, such as `updated list 3f25…`. */
export const named = ({ change, id, type }: EntityChange): string => `${change} ${type} ${id}`

/** Runs the body in one transaction and returns what the operation changed, as `named`. */
export const changed = Effect.fnUntraced(function* <A, E, R>(
  owner: AccountId,
  body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>
) {
  const id = yield* written(owner, body)
  if (id === undefined) return []
  return ((yield* changesOf(owner, id))?.items ?? []).map(named)
})
