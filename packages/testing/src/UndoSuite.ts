import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, listNamed, make, patch, remind, shown, texts } from "./AsOwner.ts"
import { operationOf } from "./RandomHistory.ts"
import { done, refusal, undone, undoState, type UseCases } from "./UndoFixtures.ts"

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

    it.effect("leaves a day list that it created if that was changed, contains anything else or is a sub-list", () =>
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
          const linked = yield* done(make({ text: "e", list: "2026-12-26" }))
          const link = yield* make({ list_ref: linked.value.listId, list_id: left.list.id })
          yield* undone(linked.id)
          expect((yield* thingById(link.id)).listRef).toBe(linked.value.listId)
          expect(yield* shown(linked.value.listId)).toHaveLength(0)
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

    it.effect("has no operation for a write without effect", () =>
      asOwner(() =>
        Effect.gen(function* () {
          expect(yield* operationOf((yield* Things).remove("nothing"))).toBeUndefined()
        })
      )
    )
  })
}
