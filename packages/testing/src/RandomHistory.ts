import { Effect } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { bulk, bulkSet, make, patch, remind } from "./AsOwner.ts"
import { makeCall, withCall } from "./Operations.ts"

/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const withoutUpdated = <A extends { readonly updated: number }>({ updated: _, ...rest }: A): Omit<A, "updated"> => rest

/** Everything that an account owns, as stored, except `updated`. */
export const stateOf = Effect.fnUntraced(function* ({ id: owner }: Account) {
  const lists = yield* (yield* ListStore).all(owner)
  const store = yield* ThingStore
  const things = yield* Effect.forEach(lists, (list) => store.ofList(owner, list.id))
  return {
    account: yield* (yield* AccountStore).get(owner),
    lists: lists.map((list) => withoutUpdated(list)),
    things: things.flat().map((thing) => withoutUpdated(thing)),
    reminders: yield* (yield* ReminderStore).all(owner),
    places: yield* (yield* PlaceStore).all(owner)
  }
})

type Stored = Effect.Success<ReturnType<typeof stateOf>>

/** Broken references in a state; empty if there are none. */
export const brokenIn = ({ lists, places, reminders, things }: Stored): ReadonlyArray<string> => {
  const byId = new Map(things.map((thing) => [thing.id, thing]))
  const listIds = new Set<string>(lists.map(({ id }) => id))
  const placeIds = new Set<string>(places.map(({ id }) => id))
  const copied = new Set(things.map(({ cloneOf }) => cloneOf))
  const broken: Array<string> = []
  const check = (holds: boolean, what: string) => holds || broken.push(what)
  for (const thing of things) {
    check(thing.listRef === null || listIds.has(thing.listRef), `${thing.id} refers to no list`)
    check(thing.hasClones === copied.has(thing.id), `${thing.id} has wrong hasClones`)
    if (thing.cloneOf === null) continue
    const original = byId.get(thing.cloneOf)
    check(original?.cloneOf === null, `${thing.id} is the copy of no original`)
    check(original?.text === thing.text && original?.note === thing.note, `${thing.id} has other content`)
  }
  for (const { id, thingId, trigger } of reminders) {
    check(byId.get(thingId)?.cloneOf === null, `${id} is on no original`)
    check(trigger._tag === "Time" || placeIds.has(trigger.placeId), `${id} is at no place`)
  }
  return broken
}

/** Runs an effect as a separate call and returns the id of the operation that it recorded; undefined for none. */
export const operationOf = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = makeCall(overrides)
  yield* Effect.ignore(effect.pipe(withCall(call)))
  return call.recorded
})

type UseCases = BulkThings | Caller | Lists | Places | Reminders | Things

/** Takes a random step that is possible in the current state. */
export const randomStep = Effect.fnUntraced(function* (random: () => number, overrides: Partial<OperationCall> = {}) {
  const { account } = yield* Caller
  const [lists, things, bulkThings] = [yield* Lists, yield* Things, yield* BulkThings]
  const allLists = yield* (yield* ListStore).all(account.id)
  const store = yield* ThingStore
  const all = (yield* Effect.forEach(allLists, (list) => store.ofList(account.id, list.id))).flat()
  const pick = <A>(items: ReadonlyArray<A>): A | undefined => items[Math.floor(random() * items.length)]
  const number = (below: number) => Math.floor(random() * below)
  const text = () => `text ${number(1000)}`
  const aList = () => pick(allLists)?.id ?? "none"
  const aThing = () => pick(all)?.id ?? "none"
  const some = () => all.filter(() => random() < 0.3).map(({ id }) => id)
  const day = () => `2026-12-0${1 + number(3)}`
  const anywhere = () => (random() < 0.3 ? { list: day() } : { list_id: aList() })
  const places = yield* Places
  const savedPlaces = yield* (yield* PlaceStore).all(account.id)
  const reminders = yield* Reminders
  const steps: ReadonlyArray<() => Effect.Effect<unknown, unknown, UseCases>> = [
    () => make({ text: text(), ...anywhere(), tags: [text()], tabs: number(3) }),
    () => make({ text: text(), list_id: aList() }),
    () => make({ text: text(), list_id: aList(), list_ref: aList() }),
    () => make({ text: text(), list_id: aList(), created: `2026-01-0${1 + number(2)}` }),
    () => make({ clone_of: aThing(), list_id: aList() }),
    () => make({ clone_of: aThing(), list_id: aList() }),
    () => patch(aThing(), { text: text(), note: text() }),
    () => patch(aThing(), { favorited: random() < 0.5, tabs: number(4) }),
    () => patch(aThing(), { list_ref: random() < 0.5 ? aList() : null }),
    () => patch(aThing(), anywhere()),
    () => patch(aThing(), { completed: true }),
    () => patch(aThing(), { completed: true }),
    () => patch(aThing(), { photos: ["https://photos.example/1.png"], url: "https://e.example/1", canceled: true }),
    () => bulkSet(some(), { completed: true }),
    () => bulkSet(some(), anywhere()),
    () => bulkSet(some(), { tags: [text()] }),
    () => bulk({ items: Array.from({ length: number(4) }, () => ({ text: text(), ...anywhere() })) }),
    () => bulkThings.remove(some()),
    () => things.remove(aThing()),
    () => lists.create({ title: text(), things: [{ text: text() }, { text: text(), tabs: 1 }] }),
    () => lists.update(aList(), { title: text(), archived: random() < 0.2 }),
    () => lists.remove(aList()),
    () => lists.day(day()),
    () => lists.importMarkdown({ markdown: `# ${text()}\n\n- [ ] one\n  - [ ] two\n` }),
    () => remind(aThing(), { at: `2026-11-2${2 + number(7)}T09:00:00Z`, repeat: "daily", every: 1 + number(3) }),
    () => remind(aThing(), { at: `2026-11-2${2 + number(7)}T09:00:00Z`, repeat: "weekly" }),
    () => remind(aThing(), { at: `2026-11-2${2 + number(7)}`, alert_minutes: number(60) }),
    () => reminders.remove(aThing()),
    () => reminders.setAtPlace(aThing(), { place: pick(savedPlaces)?.id ?? "none", trigger: "arrive" }),
    () => places.save({ name: `place ${number(3)}`, address: text() }),
    () => places.remove(pick(savedPlaces)?.id ?? "none")
  ]
  return yield* operationOf(pick(steps)!(), overrides)
})
