import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, bulkSet, callerOf, listNamed, make, patch, remind, shown, texts } from "./AsOwner.ts"
import { aCall, calledAs } from "./Operations.ts"
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

/** The id of the operation that an effect left. */
const done = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = aCall(overrides)
  const value = yield* effect.pipe(calledAs(call))
  return { value, id: call.recorded ?? (yield* Effect.die(new Error("No operation was recorded"))) }
})

export const undone = Effect.fnUntraced(function* (id: string, overrides: Partial<OperationCall> = {}) {
  const undo = yield* Undo
  return yield* undo.undo(id).pipe(calledAs(aCall({ name: "undoOperation", ...overrides })))
})

const refusal = (id: string) => Effect.flip(undone(id))

export const undoState = (id: string) =>
  Effect.map(
    Effect.flatMap(Operations, (operations) => operations.view(id)),
    ({ undo }) => undo
  )

const theThing = (id: string) =>
  Effect.map(
    Effect.flatMap(Things, (things) => things.get(id)),
    ({ thing }) => thing
  )

/** Undo, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: undo`, (it) => {
    it.effect("answers the undo and what it took back, each as it is stored", () =>
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

    it.effect("is undone once: then the undo is named, or the redo that can be undone", () =>
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

    it.effect("of an unknown operation is not found, of another account's neither", () =>
      Effect.gen(function* () {
        const theirs = yield* asOwner(() => done(listNamed("theirs")))
        yield* asOwner(() =>
          Effect.gen(function* () {
            for (const id of [theirs.id, "", "nothing", "019bd000-0000-7000-8000-000000000000"])
              expect((yield* refusal(id))._tag).toBe("NotFound")
          })
        )
      })
    )

    it.effect("needs both scopes for writing, and looking at an operation both for reading", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* done(listNamed("one"))
          const operations = yield* Operations
          for (const [allowed, use] of [
            [["write:lists", "read:lists", "read:things"], undone(id)],
            [["write:things", "read:lists", "read:things"], undone(id)],
            [["read:lists", "write:things", "write:lists"], operations.view(id)],
            [["read:things", "write:things", "write:lists"], operations.page({})]
          ] as const) {
            const refused = yield* Effect.flip(
              Effect.provideService(
                use as Effect.Effect<unknown, { _tag: string }, Caller | Undo>,
                Caller,
                callerOf(account, allowed)
              )
            )
            expect(refused._tag).toBe("Forbidden")
          }
        })
      )
    )

    it.effect("is blocked by a later change, which it names with up to five of the entities", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const items = Array.from({ length: 8 }, (_, at) => ({ text: `thing ${at}` }))
          const { id } = yield* done(bulk({ list_id: list.id, items }))
          const ids = (yield* shown(list.id)).map((thing) => thing.id)
          const later = yield* done(bulkSet(ids.slice(1), { favorited: true }))
          const refused = yield* refusal(id)
          expect(refused._tag).toBe("Conflict")
          expect(refused.message.match(/the thing “thing \d”/g)).toHaveLength(5)
          expect(refused.message).toContain("and 2 more were changed by the later operation")
          expect(refused.message).toContain(later.id)
          expect(yield* undoState(id)).toBe("blocked")
          expect(yield* shown(list.id)).toHaveLength(8)
          const { operation: undo } = yield* undone(later.id)
          expect(yield* undoState(id)).toBe("possible")
          const { operation: redo } = yield* undone(undo.id)
          expect((yield* refusal(id)).message).toMatch(new RegExp(`the later operation ${redo.id}. Undo that first.$`))
          const gone = yield* done(Effect.flatMap(Lists, (lists) => lists.remove(list.id)))
          yield* undone(gone.id)
          expect((yield* refusal(id)).message).toContain(`the later operation ${redo.id}. Undo`)
          yield* undone(redo.id)
          yield* undone(id)
          expect(yield* shown(list.id)).toHaveLength(0)
        })
      )
    )

    it.effect("is blocked by a thing in a list, a reminder or copy on a thing, a reference to a list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const home = yield* listNamed("home")
          const other = yield* make({ text: "other", list_id: home.id })
          const hangings = [
            (list: string, _thing: string) => patch(other.id, { list_id: list }),
            (list: string, _thing: string) => patch(other.id, { list_ref: list }),
            (_list: string, thing: string) => remind(thing, { at: "2026-12-01T09:00:00Z" }),
            (_list: string, thing: string) => make({ clone_of: thing, list_id: home.id })
          ]
          for (const hang of hangings) {
            const lists = yield* Lists
            const made = yield* done(lists.create({ title: "new", things: [{ text: "in it" }] }))
            const [thing] = yield* shown(made.value.list.id)
            const later = yield* done(Effect.asVoid(hang(made.value.list.id, thing!.id) as Effect.Effect<unknown>))
            const refused = yield* refusal(made.id)
            expect(refused._tag).toBe("Conflict")
            expect(refused.message).toContain(later.id)
            yield* undone(later.id)
            yield* undone(made.id)
          }
        })
      )
    )

    it.effect("is blocked by a reminder at a place that would go", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a", list_id: (yield* listNamed("one")).id })
          const places = yield* Places
          const saved = yield* done(places.save({ name: "Home", latitude: 1, longitude: 2 }))
          const reminders = yield* Reminders
          const later = yield* done(reminders.setAtPlace(thing.id, { place: "Home", trigger: "arrive" }))
          expect((yield* refusal(saved.id)).message).toContain(later.id)
          const gone = yield* done(places.remove(saved.value.place.id))
          yield* undone(gone.id)
          expect(yield* (yield* ReminderStore).all(account.id)).toHaveLength(1)
        })
      )
    )

    it.effect("never touches settings", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { id } = yield* done(accounts.update(account.id, { timezone: "Asia/Tokyo" }))
          expect(yield* refusal(id)).toMatchObject({
            _tag: "Conflict",
            message: expect.stringContaining("never undone") as string
          })
          expect(yield* undoState(id)).toBe("blocked")
        })
      )
    )

    it.effect("is expired when the images are gone", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const list = yield* done(listNamed("one"))
          const history = yield* HistoryStore
          yield* history.erase(account.id, { operation: list.id })
          expect((yield* refusal(list.id))._tag).toBe("Gone")
          expect(yield* undoState(list.id)).toBe("expired")
        })
      )
    )

    it.effect("leaves the day list that was made along the way if anything else is in it", () =>
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
        })
      )
    )

    it.effect("a day list that is gone and has a successor does not come back", () =>
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

    it.effect("what was in a list that is gone does not come back without it", () =>
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

    it.effect("a copy that comes back has the content that its original has by now", () =>
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

    it.effect("a family whose original comes back takes along a copy that was made of its heir", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const original = yield* make({ text: "a", list_id: list.id })
          const heir = yield* make({ clone_of: original.id, list_id: list.id })
          yield* make({ clone_of: original.id, list_id: list.id })
          const gone = yield* done((yield* Things).remove(original.id))
          const late = yield* make({ clone_of: heir.id, list_id: list.id })
          yield* undone(gone.id)
          expect((yield* theThing(late.id)).cloneOf).toBe(original.id)
          expect((yield* theThing(heir.id)).cloneOf).toBe(original.id)
          expect((yield* theThing(original.id)).hasClones).toBe(true)
        })
      )
    )

    it.effect("leaves in place what else came in between", () =>
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

    it.effect("of an undo completes again in place, wherever the thing stands by now", () =>
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

    it.effect("of all that one key did is one operation, and can be undone itself", () =>
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
          const all = yield* undo.undoAll({ byId: "robot", since: epoch }).pipe(calledAs(aCall(mine)))
          expect(all.undone.length).toBeGreaterThan(2)
          expect(all.undone[0]!.id).toBe(between.id)
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

    it.effect("of the newest operation of a key passes over what is undone, and over undos", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const undo = yield* Undo
          const call = aCall()
          for (const text of ["a", "b"]) yield* make({ text, list_id: list.id }).pipe(calledAs(call))
          for (const left of [["a"], []]) {
            yield* undo.undoNewest(call.by.id).pipe(calledAs(call))
            expect(texts(yield* shown(list.id))).toStrictEqual(left)
          }
          expect((yield* Effect.flip(undo.undoNewest(call.by.id).pipe(calledAs(call))))._tag).toBe("Conflict")
        })
      )
    )

    it.effect("under an Idempotency-Key has one effect, and one answer", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* done(listNamed("one"))
          const records = yield* IdempotencyRecords
          const call = aCall({ requestId: "again" })
          const undo = Effect.map(
            Effect.flatMap(Undo, (undo) => undo.undo(id)),
            ({ operation }) => operation.id as string
          )
          const once = records.once("again", "undo", undo).pipe(calledAs(call))
          const first = yield* once
          expect([yield* once, call.recorded]).toStrictEqual([first, first])
          const operations = (yield* (yield* HistoryStore).page(account.id, {}, 0, 50)).items
          expect(operations.map((each) => each.id)).toStrictEqual([first, id])
        })
      )
    )

    it.effect("what does nothing leaves no operation", () =>
      asOwner(() =>
        Effect.gen(function* () {
          expect(yield* operationOf((yield* Things).remove("nothing"))).toBeUndefined()
        })
      )
    )
  })
}
