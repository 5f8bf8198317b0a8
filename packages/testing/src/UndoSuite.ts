import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, listNamed, make, patch, remind, shown, texts } from "./AsOwner.ts"
import { makeCall, withCall } from "./Operations.ts"
import { operationOf, stateOf } from "./RandomHistory.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"

export type UseCases =
  | Accounts
  | BulkThings
  | Crypto.Crypto
  | IdempotencyRecords
  | Lists
  | Operations
  | Places
  | PlaceStore
  | Ports
  | Reminders
  | Things
  | Undo

/** Runs an effect and returns the id of the operation that it recorded. */
export const done = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = makeCall(overrides)
  const value = yield* effect.pipe(withCall(call))
  return { value, id: call.recorded ?? (yield* Effect.die(new Error("No operation was recorded"))) }
})

export const undone = Effect.fnUntraced(function* (id: string, overrides: Partial<OperationCall> = {}) {
  const undo = yield* Undo
  return yield* undo.undo(id).pipe(withCall(makeCall({ name: "undoOperation", ...overrides })))
})

export const refusal = (id: string) => Effect.flip(undone(id))

export const undoState = (id: string) =>
  Effect.map(
    Effect.flatMap(Operations, (operations) => operations.view(id)),
    ({ undo }) => undo
  )

const thingById = (id: string) =>
  Effect.map(
    Effect.flatMap(Things, (things) => things.get(id)),
    ({ thing }) => thing
  )

/** Undo, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: undo`, (it) => {
    it.effect("returns the undo and the undone operation, each as stored", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* done(make({ text: "a", list_id: (yield* listNamed("one")).id }))
          expect(yield* undoState(id)).toBe("possible")
          const { operation, undone: taken } = yield* undone(id, { by: { type: "session", id: "s", name: "Ann" } })
          expect(operation).toMatchObject({
            owner: account.id,
            name: "undoOperation",
            by: { id: "s" },
            undoes: id,
            undoneBy: null,
            counts: { lists: 0, things: 1, reminders: 0, places: 0 }
          })
          expect(taken).toMatchObject({ id, undoneBy: operation.id })
          const history = yield* HistoryStore
          expect(yield* history.get(account.id, operation.id)).toStrictEqual(operation)
          expect(yield* history.get(account.id, id)).toStrictEqual(taken)
          expect(yield* undoState(id)).toBe("blocked")
          expect(yield* undoState(operation.id)).toBe("possible")
        })
      )
    )

    it.effect("is refused for an undone operation, naming the undo, or the redo that can be undone", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const { id } = yield* done(make({ text: "a", list_id: list.id }))
          const undo = (yield* undone(id)).operation
          const twice = yield* refusal(id)
          expect(twice).toMatchObject({ _tag: "Conflict", message: expect.stringContaining(undo.id) as string })
          const redo = (yield* undone(undo.id)).operation
          expect(redo.summary).toMatch(/^Redid: /)
          expect(yield* shown(list.id)).toHaveLength(1)
          expect((yield* refusal(id)).message).toContain(redo.id)
          yield* undone(redo.id)
          expect(yield* shown(list.id)).toHaveLength(0)
        })
      )
    )

    it.effect("restores reminders in the current time zone of the account", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const list = yield* listNamed("one")
            const thing = yield* make({ text: "a", list_id: list.id })
            const timed = (at: string, more = {}) => ({ at, ...more })
            const set = [
              timed("2026-12-01T09:00", { repeat: "daily", repeat_until: "2026-12-24" }),
              timed("2026-12-01", { days: ["tue"] }),
              timed("2026-12-01"),
              timed("2026-12-01T09:00")
            ]
            const accounts = yield* Accounts
            const removed: Array<string> = []
            for (const reminder of set) {
              yield* remind(thing.id, reminder)
              removed.push((yield* done((yield* Reminders).remove(thing.id))).id)
            }
            yield* accounts.update(account.id, { timezone: "America/New_York" })
            yield* accounts.update(account.id, { timezone: "Asia/Tokyo", name: "Ann" })
            const seen: Array<unknown> = []
            for (const id of removed) {
              yield* undone(id)
              const { reminder } = yield* (yield* Things).get(thing.id)
              const trigger = reminder?.reminder.trigger
              if (trigger?._tag === "Time") seen.push([new Date(trigger.at).toISOString(), trigger.first])
              yield* (yield* Reminders).remove(thing.id)
            }
            expect(seen).toStrictEqual([
              ["2026-12-01T00:00:00.000Z", "2026-12-01T09:00:00.000"],
              ["2026-11-30T15:00:00.000Z", "2026-12-01T00:00:00.000"],
              ["2026-11-30T15:00:00.000Z", "2026-12-01T00:00:00.000"],
              ["2026-12-01T08:00:00.000Z", "2026-12-01T17:00:00.000"]
            ])
          }),
        { timezone: "Europe/Vienna" }
      )
    )

    it.effect("restores a reminder at a place unchanged after a change of the time zone", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          yield* (yield* Places).save({ name: "Home", latitude: 1, longitude: 2 })
          const { id } = yield* make({ text: "a", list_id: (yield* listNamed("one")).id })
          yield* (yield* Reminders).setAtPlace(id, { place: "Home", trigger: "leave" })
          const { reminder } = yield* (yield* Things).get(id)
          const removed = yield* done((yield* Reminders).remove(id))
          yield* (yield* Accounts).update(account.id, { timezone: "Asia/Tokyo" })
          yield* undone(removed.id)
          expect((yield* (yield* Things).get(id)).reminder?.reminder).toStrictEqual(reminder?.reminder)
        })
      )
    )

    it.effect("leaves a day list that the operation created if it was changed or contains anything else", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const first = yield* done(make({ text: "a", list: "today" }))
          const second = yield* done(make({ text: "b", list: "today" }))
          const day = first.value.listId
          yield* undone(first.id)
          expect(texts(yield* shown(day))).toStrictEqual(["b"])
          yield* undone(second.id)
          expect(yield* shown(day)).toHaveLength(0)
          const alone = yield* done(make({ text: "c", list: "tomorrow" }))
          yield* undone(alone.id)
          expect((yield* Effect.flip((yield* Lists).view(alone.value.listId)))._tag).toBe("NotFound")
          const renamed = yield* done(make({ text: "d", list: "2026-12-24" }))
          yield* (yield* Lists).update(renamed.value.listId, { title: "Christmas Eve" })
          yield* undone(renamed.id)
          const left = yield* (yield* Lists).view(renamed.value.listId)
          expect([left.list.title, left.things]).toStrictEqual(["Christmas Eve", []])
        })
      )
    )

    it.effect("does not restore a day list that has a successor", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const day = (yield* lists.day("2026-12-01")).list
          const gone = yield* done(lists.remove(day.id))
          const next = yield* done(lists.day("2026-12-01"))
          const refused = yield* refusal(gone.id)
          expect(refused._tag).toBe("Conflict")
          expect(refused.message).toContain(next.id)
        })
      )
    )

    it.effect("does not restore a thing without its list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          const removed = yield* done((yield* Things).remove(thing.id))
          const gone = yield* done((yield* Lists).remove(list.id))
          const refused = yield* refusal(removed.id)
          expect(refused._tag).toBe("Conflict")
          expect(refused.message).toContain(gone.id)
          yield* undone(gone.id)
          yield* undone(removed.id)
          expect(texts(yield* shown(list.id))).toStrictEqual(["a"])
        })
      )
    )

    it.effect("restores a copy with the current content of its original", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const original = yield* make({ text: "a", list_id: list.id })
          const copies = [1, 2].map(() => make({ clone_of: original.id, list_id: list.id }))
          const [copy] = yield* Effect.all(copies)
          const gone = yield* done((yield* Things).remove(copy!.id))
          yield* patch(original.id, { text: "b" })
          yield* undone(gone.id)
          expect(texts(yield* shown(list.id))).toStrictEqual(["b", "b", "b"])
        })
      )
    )

    it.effect("restores an original as the original of a copy that was made of its successor", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const original = yield* make({ text: "a", list_id: list.id })
          const heir = yield* make({ clone_of: original.id, list_id: list.id })
          yield* make({ clone_of: original.id, list_id: list.id })
          const gone = yield* done((yield* Things).remove(original.id))
          const late = yield* make({ clone_of: heir.id, list_id: list.id })
          yield* undone(gone.id)
          expect((yield* thingById(late.id)).cloneOf).toBe(original.id)
          expect((yield* thingById(heir.id)).cloneOf).toBe(original.id)
          expect((yield* thingById(original.id)).hasClones).toBe(true)
        })
      )
    )

    it.effect("leaves things that others added in between", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const made = yield* done(bulk({ list_id: list.id, items: [{ text: "a" }, { text: "b" }] }))
          const between = yield* make({ text: "between", list_id: list.id })
          yield* undone(made.id)
          expect(yield* shown(list.id)).toStrictEqual([between])
        })
      )
    )

    it.effect("of an undo completes again in place, at the current position of the thing", () =>
      asOwner(
        () =>
          Effect.gen(function* () {
            const list = yield* listNamed("one")
            yield* bulk({ list_id: list.id, items: [{ text: "a" }, { text: "b" }] })
            const [a, b] = yield* shown(list.id)
            for (const { id } of [a!, b!]) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
            const { operation } = yield* undone((yield* done(patch(b!.id, { completed: true }))).id)
            for (const _ of ["once", "twice"]) yield* patch(a!.id, { completed: true })
            yield* undone(operation.id)
            const rows = (yield* shown(list.id)).map(({ completed, text }) => (completed ? `x ${text}` : text))
            expect(rows).toStrictEqual(["x a", "x a", "a", "x b", "b"])
          }),
        { repeatMovesToDay: false }
      )
    )

    it.effect("of all operations of one key is one operation, and can be undone itself", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const mine = { by: { type: "key", id: "mine", name: "Mine" } } as const
          const robot = { by: { type: "key", id: "robot", name: "Robot" } } as const
          const list = (yield* done(listNamed("one"), mine)).value
          const before = yield* stateOf(account)
          const first = yield* done(make({ text: "a", list_id: list.id }), robot)
          yield* done(patch(first.value.id, { text: "b" }), robot)
          yield* done(make({ text: "mine", list: "today" }), mine)
          const dropped = yield* done((yield* Things).remove(first.value.id), robot)
          yield* undone(dropped.id, robot)
          const between = yield* done(make({ text: "c", list_id: list.id }), robot)
          const after = yield* stateOf(account)
          const undo = yield* Undo
          const all = yield* undo.undoAll({ byId: "robot", since: epoch }).pipe(withCall(makeCall(mine)))
          expect(all.undone.length).toBeGreaterThan(2)
          expect([all.undone[0]!.id, all.operation.undoes]).toStrictEqual([between.id, first.id])
          const left = yield* stateOf(account)
          expect(left.things.map((thing) => thing.text)).toStrictEqual(["mine"])
          expect(left.lists.length).toBe(before.lists.length + 1)
          for (const { id } of all.undone) expect(yield* undoState(id)).toBe("blocked")
          yield* undone(all.operation.id)
          expect(yield* stateOf(account)).toStrictEqual(after)
          const none = yield* Effect.flip(undo.undoAll({ byId: "robot", since: all.operation.at }))
          expect(none._tag).toBe("Conflict")
        })
      )
    )

    it.effect("of all operations of one key restores a day list and a place that were deleted and created again", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const robot = { by: { type: "key", id: "robot", name: "Robot" } } as const
          const places = yield* Places
          const day = { list: "2026-12-24" }
          const thing = yield* make({ text: "Goose", ...day })
          const home = yield* places.save({ name: "Home" })
          const before = yield* stateOf(account)
          yield* done((yield* Lists).remove(thing.listId), robot)
          yield* done(make({ text: "Carp", ...day }), robot)
          yield* done(places.remove(home.place.id), robot)
          yield* done(places.save({ name: "home" }), robot)
          const after = yield* stateOf(account)
          const undo = yield* Undo
          const all = yield* undo.undoAll({ byId: "robot", since: epoch }).pipe(withCall(makeCall()))
          expect(yield* stateOf(account)).toStrictEqual(before)
          yield* undone(all.operation.id)
          expect(yield* stateOf(account)).toStrictEqual(after)
        })
      )
    )

    it.effect("of the newest operation of a key skips undone operations and undos", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const undo = yield* Undo
          const call = makeCall()
          for (const text of ["a", "b"]) yield* make({ text, list_id: list.id }).pipe(withCall(call))
          for (const left of [["a"], []]) {
            yield* undo.undoNewest(call.by.id).pipe(withCall(call))
            expect(texts(yield* shown(list.id))).toStrictEqual(left)
          }
          expect((yield* Effect.flip(undo.undoNewest(call.by.id).pipe(withCall(call))))._tag).toBe("Conflict")
        })
      )
    )

    it.effect("of the newest operation of a key skips operations without a change", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const undo = yield* Undo
          const call = makeCall()
          const thing = yield* make({ text: "a", list_id: list.id })
          const complete = Effect.flatMap(Things, (things) => things.update(thing.id, { completed: true }))
          for (let time = 0; time < 2; time++) yield* complete.pipe(withCall(call))
          yield* undo.undoNewest(call.by.id).pipe(withCall(call))
          expect((yield* shown(list.id)).map(({ completed }) => completed)).toStrictEqual([false])
        })
      )
    )

    it.effect("with an Idempotency-Key has one effect and one answer", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* done(listNamed("one"))
          const records = yield* IdempotencyRecords
          const call = makeCall({ requestId: "again" })
          const undo = Effect.map(
            Effect.flatMap(Undo, (undo) => undo.undo(id)),
            ({ operation }) => operation.id as string
          )
          const once = records.once("again", "undo", undo).pipe(withCall(call))
          const first = yield* once
          expect([yield* once, call.recorded]).toStrictEqual([first, first])
          const operations = (yield* (yield* HistoryStore).page(account.id, {}, 0, 50)).items
          expect(operations.map((each) => each.id)).toStrictEqual([first, id])
        })
      )
    )

    it.effect("has no operation for a write without effect", () =>
      asOwner(() =>
        Effect.gen(function* () {
          expect(yield* operationOf((yield* Things).remove("nothing"))).toBeUndefined()
        })
      )
    )
  })
}
