import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { type EpochMillis, epoch } from "@lists-and-things/domain/model/EpochMillis"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { asOwner, bulk, bulkSet, callerOf, listNamed, make, patch, remind, shown } from "./AsOwner.ts"
import { makeCall, withCall } from "./Operations.ts"
import { done, refusal, undone, undoState, type UseCases } from "./UndoFixtures.ts"

/** What blocks an undo, and what does not, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: an undo`, (it) => {
    it.effect("of an unknown operation or one of another account is NotFound", () =>
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

    it.effect("needs both scopes for writing, and reading operations needs both for reading", () =>
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

    it.effect("of all operations of a key is refused where none is in effect since the time", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const robot = { by: { type: "key", id: "robot", name: "Robot" } } as const
          const undo = yield* Undo
          const undoAll = (since: EpochMillis) =>
            undo.undoAll({ byId: "robot", since }).pipe(withCall(makeCall({ name: "undoOperations" })))
          const nothing = "There is nothing to undo: no operation of yours is in effect."
          expect((yield* Effect.flip(undoAll(epoch))).message).toBe(nothing)
          const { id } = yield* done(listNamed("one"), robot)
          expect((yield* Effect.flip(undoAll(writeTimestampOf(id)!))).message).toBe(nothing)
          yield* undone(id)
          expect((yield* Effect.flip(undoAll(epoch))).message).toBe(nothing)
        })
      )
    )

    it.effect("of the newest operation passes over those of a name, of other surfaces and of other keys", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const undo = yield* Undo
          const robot = { by: { type: "key", id: "robot", name: "Robot" } } as const
          const first = yield* done(listNamed("first"), { ...robot, name: "createList", surface: "mcp" })
          const second = yield* done(listNamed("second"), { ...robot, name: "createList" })
          const third = yield* done(listNamed("third"), { ...robot, name: "getToday" })
          yield* done(listNamed("mine"))
          expect((yield* undo.newest("robot")).id).toBe(third.id)
          expect((yield* undo.newest("robot", { exceptName: "getToday" })).id).toBe(second.id)
          expect((yield* undo.newest("robot", { surface: "mcp" })).id).toBe(first.id)
          const none = undo.newest("robot", { exceptName: "createList", surface: "mcp" })
          expect((yield* Effect.flip(none))._tag).toBe("Conflict")
        })
      )
    )

    it.effect("is blocked by a later change, and names it and up to five entities", () =>
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

    it.effect("of a creation is blocked by a thing in or a reference to a list, or a reminder or copy of a thing", () =>
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

    it.effect("of looking at a day is blocked by a thing in its list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const looked = yield* done((yield* Lists).day("tomorrow"), { name: "getToday" })
          const later = yield* done(make({ text: "a", list: "tomorrow" }))
          expect((yield* refusal(looked.id)).message).toContain(later.id)
        })
      )
    )

    it.effect("of a place is blocked by a reminder at it", () =>
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

    it.effect("of the removal of a place is blocked by another that took its name", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const places = yield* Places
          const { place } = yield* places.save({ name: "Home" })
          const removed = yield* done(places.remove(place.id))
          const later = yield* done(places.save({ name: "home" }))
          const refused = yield* refusal(removed.id)
          expect([refused._tag, refused.message]).toStrictEqual(["Conflict", expect.stringContaining(later.id)])
        })
      )
    )

    it.effect("of the removal of a reminder is blocked by another one that the thing has got since", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* make({ text: "a", list_id: (yield* listNamed("one")).id })
          yield* remind(id, { at: "2026-12-01T09:00:00Z" })
          const removed = yield* done((yield* Reminders).remove(id))
          const later = yield* done(remind(id, { at: "2026-12-02T09:00:00Z" }))
          const refused = yield* refusal(removed.id)
          expect([refused._tag, refused.message]).toStrictEqual(["Conflict", expect.stringContaining(later.id)])
          yield* undone(later.id)
          yield* undone(removed.id)
          expect(yield* (yield* ReminderStore).all(account.id)).toHaveLength(1)
        })
      )
    )

    it.effect("of a change of settings is always refused", () =>
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

    it.effect("of a reminder is not blocked by a change of the time zone that keeps its instant", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "once" })
          const { id } = yield* done(remind(thing.id, { at: "2031-12-01T09:00:00Z" }))
          yield* (yield* Accounts).update(account.id, { timezone: "Asia/Tokyo" })
          expect(yield* undoState(id)).toBe("possible")
          yield* undone(id)
          expect((yield* (yield* ReminderStore).all(account.id)).length).toBe(0)
        })
      )
    )

    it.effect("of a reminder updates the list of each thing that shares it", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a" })
          const copy = yield* make({ clone_of: thing.id, list_id: (yield* listNamed("elsewhere")).id })
          const { id } = yield* done(remind(thing.id, { at: "2026-12-01" }))
          const updated = Effect.gen(function* () {
            return (yield* (yield* Lists).view(copy.listId)).list.updated
          })
          const before = yield* updated
          yield* undone(id)
          expect(yield* updated).toBeGreaterThan(before)
        })
      )
    )

    it.effect("is expired if the images were removed, and blocked for good if those of a later operation were", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const list = yield* done(listNamed("one"))
          const thing = yield* done(make({ text: "a", list_id: list.value.id }))
          const history = yield* HistoryStore
          yield* history.erase(account.id, { operation: thing.id })
          const blocked = yield* refusal(list.id)
          expect(blocked._tag).toBe("Conflict")
          expect(blocked.message).toContain(
            `by the later operation ${thing.id}. The operation ${thing.id} cannot be undone any more`
          )
          yield* history.erase(account.id, { operation: list.id })
          expect((yield* refusal(list.id))._tag).toBe("Gone")
          expect(yield* undoState(list.id)).toBe("expired")
        })
      )
    )
  })
}
