import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Places } from "@lists-and-things/domain/places/Places"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, listNamed, make, patch, shown, texts } from "./AsOwner.ts"
import { makeCall, withCall } from "./Operations.ts"
import { stateOf } from "./RandomHistory.ts"
import { done, undone, undoState, type UseCases } from "./UndoFixtures.ts"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"

/** Undo of the operations of a key, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: undo of what a key did`, (it) => {
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
  })
}
