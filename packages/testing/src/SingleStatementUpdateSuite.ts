import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SetReminderInput, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { updatedThingJson } from "@lists-and-things/domain/json/ThingJson"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { addMillis, epoch } from "@lists-and-things/domain/model/EpochMillis"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { ThingStore, type ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import type { KeyedUpdate, UpdatedThing } from "@lists-and-things/domain/things/SingleStatementUpdate"
import { asOwner, bulk, listNamed, make, patch, remind } from "./AsOwner.ts"
import { noon } from "./Fixtures.ts"
import { changesOf, makeCall, withCall } from "./Operations.ts"
import { stateOf } from "./RandomHistory.ts"
import { cases, daily, done, type Given, moves, type Needed } from "./SingleStatementCases.ts"

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Sorts the fields of objects by name, for `JSON.stringify`. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** All data of an account, its sizes, and the last operation, with ids replaced by names. */
const snapshotOf = Effect.fnUntraced(function* (account: Account, operation: string | undefined) {
  const { id: owner } = account
  const [store, history, sizes] = [yield* ThingStore, yield* HistoryStore, yield* SizeStore]
  const lists = yield* (yield* ListStore).all(owner)
  const things = (yield* Effect.forEach(lists, (list) => store.ofList(owner, list.id))).flat()
  const reminders = yield* (yield* ReminderStore).all(owner)
  const titles = new Map<string, string>(lists.map((list) => [list.id, list.title]))
  const names = new Map<string, string>([[owner, "owner"], ...titles])
  for (const { completed, id, listId, text, updated } of things)
    names.set(id, `${text} in ${titles.get(listId)}, ${completed}, ${updated}`)
  for (const { id, thingId } of reminders) names.set(id, `reminder of ${names.get(thingId)}`)
  const line = (value: unknown) => JSON.stringify(value, inOrder).replaceAll(ids, (id) => names.get(id) ?? "another")
  const lines = (values: ReadonlyArray<unknown>) => values.map(line).toSorted()
  const { summary, counts, name } = (yield* history.get(owner, operation ?? ""))!
  const following = yield* history.following(owner, epoch, 0, 1000)
  const keysOf = (of: ReadonlyArray<Thing>) => ({
    urls: of.map(({ url }) => url).filter((url) => url !== ""),
    texts: of.map(({ text }) => text.trim())
  })
  const asked = new Map(lists.map(({ id }) => [id, keysOf(things)]))
  return {
    lists: lines(lists),
    things: lines(things),
    reminders: lines(reminders),
    sizes: lines(yield* Effect.forEach(lists, ({ id }) => Effect.map(sizes.ofList(owner, id), (size) => [id, size]))),
    account: yield* sizes.ofAccount(owner),
    tags: yield* store.tagCounts(owner),
    duplicates: lines(
      [...(yield* store.duplicates(owner, asked))].map(([id, { texts, urls }]) => [
        id,
        [...urls].sort(),
        [...texts].sort()
      ])
    ),
    operation: { summary, counts, name },
    changes: lines((yield* changesOf(owner, operation))!.items),
    moved: lines(following.at(-1)!.keys)
  }
})

/** A write in a transaction, and the same write in a single statement. */
interface Write<A> {
  readonly locked: (id: string) => Effect.Effect<A, unknown, Needed | Caller>
  readonly singleStatement: (seen: ThingWithReminder, key: KeyedWrite) => Effect.Effect<A, unknown, Needed | Caller>
  readonly bodyOf: (written: A) => object
}

const shop = Effect.gen(function* () {
  const { account } = yield* Caller
  const all = yield* (yield* ListStore).all(account.id)
  return { list_id: all.find(({ title }) => title === "Shop")!.id }
})

/** Creates the thing under test between others, one of which has its tag in another spelling. */
const given = Effect.fnUntraced(function* ({ before = Effect.void, fields, list = "Chores", ...rest }: Given) {
  yield* listNamed("Chores")
  yield* before
  const items = [{ text: "first" }, { text: "Water", ...fields }, { text: "last", tags: ["HOME"] }, { text: "end" }]
  if (rest.isOneCall === true) {
    const created = "2026-11-01T12:00:00Z"
    for (const at of [list, "2026-11-01"]) yield* bulk({ items: items.map((each) => ({ ...each, created })), list: at })
    yield* bulk({ items: items.map(() => ({ text: "later" })), list })
  } else yield* Effect.forEach(items, (each) => make({ ...each, list }))
  const { account } = yield* Caller
  const found = yield* (yield* ThingStore).search(account.id, "Water", 10)
  const names = new Map((yield* (yield* ListStore).all(account.id)).map((each) => [each.id, each.day ?? each.title]))
  const thing = found.items.find(({ listId }) => names.get(listId) === list)!
  if (rest.reminder !== undefined) yield* remind(thing.id, rest.reminder)
  return thing
})

const decoded = (value: object) => decodeInput(UpdateThingInput)(value)

const keyed = (key: string): KeyedWrite => ({
  key,
  fingerprint: "f",
  outdated: { before: addMillis(noon, -1000), after: addMillis(noon, 1000) },
  maxPruned: 4
})

const updatedSeen = Effect.fnUntraced(function* (seen: ThingWithReminder, patch: object, key: KeyedWrite) {
  const things = yield* Things
  const answerOf = (written: UpdatedThing) => JSON.stringify(updatedThingJson(written))
  const updated = (yield* things.updateIfUnchanged(seen.thing.id, yield* decoded(patch), seen, { ...key, answerOf }))!
  expect((yield* things.prefetch(seen.thing.id))!.thing).toStrictEqual(updated.thing)
  return updated
})

const answering = (key: string): KeyedUpdate => ({
  ...keyed(key),
  answerOf: (updated) => JSON.stringify(updatedThingJson(updated))
})

/**
 * Updates of a thing and its reminder by a single statement, which must have the effect of a transaction, for any
 * adapter that supports it.
 */
export const suite = <E>(name: string, layer: Layer.Layer<Needed, E>, { hasSingleStatements = true } = {}): void =>
  hasSingleStatements ? suiteInOneStatement(name, layer) : suiteDeclined(name, layer)

const suiteDeclined = <E>(name: string, layer: Layer.Layer<Needed, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: a single-statement update`, (it) => {
    it.effect("is left to a transaction", () =>
      asOwner(
        Effect.fnUntraced(function* (account) {
          const things = yield* Things
          const { id } = yield* given({ reminder: daily })
          const seen = (yield* things.prefetch(id))!
          const earlier = yield* stateOf(account)
          const input = yield* decoded(done)
          expect(yield* things.updateIfUnchanged(id, input, seen, answering("k"))).toBeUndefined()
          expect(yield* things.removeIfUnchanged(seen)).toBe(false)
          expect(yield* stateOf(account)).toStrictEqual(earlier)
          expect((yield* things.update(id, input, seen)).repeating).toBeDefined()
        })
      )
    )
  })
}

const suiteInOneStatement = <E>(name: string, layer: Layer.Layer<Needed, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: a single-statement update`, (it) => {
    /** Runs the write both ways in equal accounts, compares the stored data, and undoes the single statement. */
    const alike = <A>(title: string, each: Given, write: Write<A>) =>
      it.effect(`writes the same as a transaction: ${title}`, () =>
        Effect.gen(function* () {
          const locked = asOwner(
            Effect.fnUntraced(function* (account) {
              const call = makeCall()
              const { id } = yield* given(each)
              const answer = write.bodyOf(yield* write.locked(id).pipe(withCall(call)))
              return { answer, told: yield* snapshotOf(account, call.recorded) }
            }),
            each.settings
          )
          const singleStatement = asOwner(
            Effect.fnUntraced(function* (account) {
              const call = makeCall()
              const { id } = yield* given(each)
              const earlier = yield* stateOf(account)
              const seen = (yield* (yield* Things).prefetch(id))!
              const answer = write.bodyOf(yield* write.singleStatement(seen, keyed("k")).pipe(withCall(call)))
              const record = yield* (yield* IdempotencyStore).get(account.id, "k", epoch)
              expect(record?.answer).toBe(JSON.stringify(answer))
              expect(record?.operationId).toBe(call.recorded)
              const now = yield* snapshotOf(account, call.recorded)
              yield* (yield* Undo).undo(call.recorded!).pipe(withCall(makeCall({ name: "undoOperation" })))
              expect(yield* stateOf(account)).toStrictEqual(earlier)
              return { answer, told: now }
            }),
            each.settings
          )
          const [expected, found] = [yield* locked, yield* singleStatement]
          expect(found.told).toStrictEqual(expected.told)
          const withoutIds = (answer: unknown) => JSON.stringify(answer).replaceAll(ids, "id")
          expect(withoutIds(found.answer)).toBe(withoutIds(expected.answer))
        })
      )

    for (const [title, each] of Object.entries(cases))
      alike(title, each, {
        locked: (id) => patch(id, each.patch),
        singleStatement: (seen, key) => updatedSeen(seen, each.patch, key),
        bodyOf: updatedThingJson
      })

    for (const [title, each] of Object.entries(moves)) {
      const before = Effect.andThen(listNamed("Shop"), make({ text: "Milk", list: "Shop" }))
      alike(
        title,
        { before, ...each },
        {
          locked: (id) => Effect.flatMap(shop, (there) => patch(id, { ...each.patch, ...there })),
          singleStatement: (seen, key) =>
            Effect.flatMap(shop, (there) => updatedSeen(seen, { ...each.patch, ...there }, key)),
          bodyOf: updatedThingJson
        }
      )
    }

    for (const [title, each] of Object.entries({
      "a plain thing goes": {},
      "a thing with tags goes with its reminder": { fields: { tags: ["Home"], note: "äöü" }, reminder: daily }
    }))
      alike(title, each, {
        locked: (id) => Effect.flatMap(Things, (things) => things.remove(id)),
        singleStatement: (seen, key) =>
          Effect.gen(function* () {
            expect(yield* (yield* Things).removeIfUnchanged(seen, { ...key, answerOf: () => "{}" })).toBe(true)
          }),
        bodyOf: () => ({})
      })

    for (const [title, { input, ...each }] of Object.entries({
      "the first reminder": { input: daily },
      "another reminder": { reminder: daily, input: { at: "2026-12-24", alert_minutes: 30, color: "#112233" } },
      "the same reminder": { reminder: daily, input: daily }
    }))
      alike(title, each, {
        locked: (id) => remind(id, input),
        singleStatement: (seen, key) =>
          Effect.gen(function* () {
            const answerOf = (view: ReminderView) => JSON.stringify(reminderJson(view))
            const decoded = yield* decodeInput(SetReminderInput)(input)
            const view = (yield* (yield* Reminders).setIfUnchanged(seen, decoded, { ...key, answerOf }))!
            expect((yield* (yield* Things).prefetch(seen.thing.id))!.reminder).toStrictEqual(view.reminder)
            return view
          }),
        bodyOf: reminderJson
      })

    alike(
      "a reminder is removed",
      { reminder: daily },
      {
        locked: (id) => Effect.asVoid(Effect.flatMap(Reminders, (reminders) => reminders.remove(id))),
        singleStatement: (seen, key) =>
          Effect.gen(function* () {
            expect(yield* (yield* Reminders).removeIfUnchanged(seen, { ...key, answerOf: () => "{}" })).toBe(true)
          }),
        bodyOf: () => ({})
      }
    )

    it.effect("completes a thing with a reminder at a place, for which preconditions do not match", () =>
      asOwner(
        Effect.fnUntraced(function* () {
          const things = yield* Things
          yield* (yield* Places).save({ name: "Shop" })
          const { id } = yield* make({ text: "Milk", list: "2026-11-22" })
          yield* (yield* Reminders).setAtPlace(id, { place: "Shop", trigger: "arrive" })
          const seen = (yield* things.prefetch(id))!
          const preconditions = yield* Preconditions
          expect(yield* preconditions.isMatch(seen, [yield* (yield* EntityTags).ofThing(seen.thing)])).toBe(false)
          const updated = yield* things.updateIfUnchanged(id, yield* decoded(done), seen)
          expect([updated?.reminderRemoved, updated?.thing.completed]).toStrictEqual([true, true])
          expect((yield* things.get(id)).reminder).toBeNull()
        })
      )
    )

    const declined = (
      title: string,
      change: (seen: ThingWithReminder) => Effect.Effect<unknown, unknown, Needed | Caller>
    ) =>
      it.effect(`writes nothing if ${title}; a transaction does`, () =>
        asOwner(
          Effect.fnUntraced(function* (account) {
            const things = yield* Things
            const { id } = yield* given({ reminder: daily })
            const seen = (yield* things.prefetch(id))!
            yield* change(seen)
            const earlier = yield* stateOf(account)
            const input = yield* decoded(done)
            expect(yield* things.updateIfUnchanged(id, input, seen, answering("k"))).toBeUndefined()
            expect(yield* stateOf(account)).toStrictEqual(earlier)
            expect(yield* (yield* IdempotencyStore).get(account.id, "k", epoch)).toBeUndefined()
            expect((yield* things.update(id, input, seen)).thing.updated).toBeGreaterThan(seen.thing.updated)
          })
        )
      )

    declined("the thing has changed", ({ thing }) => patch(thing.id, { note: "meanwhile" }))
    declined("its reminder has another time", ({ thing }) => remind(thing.id, { ...daily, at: "2026-11-20T09:01" }))
    declined("its reminder has another color", ({ thing }) => remind(thing.id, { ...daily, color: "#ff0000" }))
    declined("its reminder was removed", ({ thing }) =>
      Effect.flatMap(Reminders, (reminders) => reminders.remove(thing.id))
    )
    declined("it has a linked copy", ({ thing }) => make({ clone_of: thing.id, list: "2026-11-25" }))

    it.effect("has a write of its own when several are concurrent, and a key takes effect once", () =>
      asOwner(
        Effect.fnUntraced(function* (account) {
          const things = yield* Things
          const list = yield* listNamed("Chores")
          const made = yield* Effect.forEach(
            Array.from({ length: 8 }, (_, n) => `chore ${n}`),
            (text) => make({ text, list_id: list.id })
          )
          for (const { id } of made) yield* remind(id, daily)
          const input = yield* decoded(done)
          const seen = yield* Effect.forEach(made, ({ id }) => Effect.map(things.prefetch(id), (found) => found!))
          const complete = (found: ThingWithReminder, key: string) =>
            things.updateIfUnchanged(found.thing.id, input, found, answering(key))
          const all = [...seen.slice(1).map((found, n) => complete(found, `own ${n}`)), complete(seen[0]!, "own 0")]
          const updated = yield* Effect.all(all, { concurrency: "unbounded" })
          expect(updated.filter((each) => each === undefined)).toHaveLength(1)
          const written = updated.filter((each) => each !== undefined)
          expect(new Set(written.map(({ thing }) => thing.updated)).size).toBe(7)
          expect(new Set(written.map(({ thing }) => thing.listId)).size).toBe(1)
          const there = yield* (yield* ThingStore).ofList(account.id, written[0]!.thing.listId)
          expect(new Set(there)).toStrictEqual(new Set(written.map(({ thing }) => thing)))
          expect(new Set(there.map(({ position }) => `${position.sortTime} ${position.sequence}`)).size).toBe(7)
          expect(yield* (yield* SizeStore).ofAccount(account.id)).toMatchObject({ things: 15 })
        })
      )
    )
  })
}
