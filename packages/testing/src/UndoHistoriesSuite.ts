import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { isBlockedLater } from "@lists-and-things/domain/history/LaterObstacles"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, callerOf, listNamed, make, patch, remind, shown } from "./AsOwner.ts"
import { makeCall, withCall } from "./Operations.ts"
import { brokenIn, randomOf, randomStep, stateOf } from "./RandomHistory.ts"
import { done, undone, undoState, type UseCases } from "./UndoFixtures.ts"

const robot = { by: { type: "key", id: "robot", name: "Robot" } } as const

/** Number of steps of a history that are undone at once. */
const robotSteps = 12

/** Undo in random histories, for any adapter: `histories` of them, with `steps` steps each. */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<UseCases, E>,
  { histories, steps }: { readonly histories: number; readonly steps: number }
): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: undo in random histories`, (it) => {
    for (let seed = 1; seed <= histories; seed++)
      for (const repeatMovesToDay of [true, false])
        it.effect(
          `restores the state before; undone, the state after: ${seed}${repeatMovesToDay ? "" : ", repeating in place"}`,
          () =>
            asOwner(
              (account) =>
                Effect.gen(function* () {
                  const random = randomOf(seed)
                  yield* listNamed("first")
                  const operations: Array<string> = []
                  for (let step = 0; step < steps; step++) {
                    const before = yield* stateOf(account)
                    const id = yield* randomStep(random)
                    if (id === undefined) continue
                    operations.push(id)
                    const after = yield* stateOf(account)
                    const { operation } = yield* undone(id)
                    expect(yield* stateOf(account), `step ${step}`).toStrictEqual(before)
                    expect(yield* (yield* HistoryStore).get(account.id, operation.id)).toStrictEqual(operation)
                    yield* undone(operation.id)
                    expect(yield* stateOf(account), `step ${step}`).toStrictEqual(after)
                  }
                  expect(operations.length).toBeGreaterThan(steps / 4)
                }),
              { repeatMovesToDay }
            )
        )

    it.effect("what blocks it is found from what was done later, for operations that only created", () =>
      Effect.forEach(
        Array.from({ length: histories }, (_, at) => at),
        (seed) =>
          asOwner(({ id: owner }) =>
            Effect.gen(function* () {
              const [history, undo] = [yield* HistoryStore, yield* Undo]
              const random = randomOf(3000 + seed)
              yield* listNamed("first")
              for (let step = 0; step < steps; step++) {
                const id = yield* randomStep(random)
                if (id !== undefined && random() < 0.2) yield* undone(id)
              }
              for (const operation of (yield* history.page(owner, {}, 0, 2 * steps)).items) {
                const isMade = operation.counts.things > 0 && (yield* history.onlyCreated(owner, operation.at))
                if (operation.undoneBy !== null || !isMade) continue
                const { refusal, state } = yield* undo.outlookOf(operation)
                expect(yield* isBlockedLater(history, operation), `history ${seed}: ${refusal}`).toBe(
                  state === "blocked"
                )
              }
            })
          )
      )
    )

    it.effect("of a whole history, newest first, restores its beginning", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const random = randomOf(99)
          yield* listNamed("first")
          const states = [yield* stateOf(account)]
          const operations: Array<string> = []
          for (let step = 0; step < steps; step++) {
            const id = yield* randomStep(random)
            if (id === undefined) continue
            operations.push(id)
            states.push(yield* stateOf(account))
          }
          const undos: Array<string> = []
          for (const id of operations.toReversed()) {
            expect(yield* stateOf(account)).toStrictEqual(states.pop())
            undos.push((yield* undone(id)).operation.id)
          }
          expect(yield* stateOf(account)).toStrictEqual(states.pop())
          for (const id of undos.toReversed()) yield* undone(id)
          expect(yield* undoState(operations.at(-1)!)).toBe("blocked")
        })
      )
    )

    it.effect("of all operations of a key restores the state before them, and undone itself the state after them", () =>
      Effect.forEach(
        Array.from({ length: histories }, (_, at) => at),
        (seed) =>
          asOwner((account) =>
            Effect.gen(function* () {
              const random = randomOf(2000 + seed)
              yield* listNamed("first")
              for (let step = 0; step < steps; step++) yield* randomStep(random)
              const before = yield* stateOf(account)
              for (let step = 0; step < robotSteps; step++) yield* randomStep(random, robot)
              const after = yield* stateOf(account)
              const all = yield* (yield* Undo).undoAll({ byId: robot.by.id, since: epoch }).pipe(withCall(makeCall()))
              expect(yield* stateOf(account), `history ${seed}`).toStrictEqual(before)
              yield* undone(all.operation.id)
              expect(yield* stateOf(account), `history ${seed}`).toStrictEqual(after)
            })
          )
      )
    )

    it.effect("of all operations of a key restores a deleted thing to its position among things of the same time", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const { id } = yield* listNamed("first")
          const created = "2026-01-01"
          const [first] = [
            yield* make({ text: "a", list_id: id, created }),
            yield* make({ text: "b", list_id: id, created })
          ]
          const before = yield* stateOf(account)
          const call = makeCall(robot)
          yield* (yield* Things).remove(first.id).pipe(withCall(call))
          yield* make({ text: "c", list_id: id, created }).pipe(withCall(call))
          yield* (yield* Undo).undoAll({ byId: robot.by.id, since: epoch }).pipe(withCall(makeCall()))
          expect(yield* stateOf(account)).toStrictEqual(before)
        })
      )
    )

    it.effect("of a completion that moved a thing puts it where its copy is; undone itself, it restores the copy", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          yield* bulk({ list_id: list.id, items: [{ text: "a" }, { text: "b" }, { text: "c" }] })
          const [a, b] = yield* shown(list.id)
          for (const { id } of [a!, b!]) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
          const moved = yield* done(patch(b!.id, { completed: true }))
          const inPlace = Effect.provideService(Caller, callerOf({ ...account, repeatMovesToDay: false }))
          for (const _ of ["once", "twice"]) yield* patch(a!.id, { completed: true }).pipe(inPlace)
          const rows = Effect.map(shown(list.id), (things) =>
            things.map(({ completed, text }) => (completed ? `x ${text}` : text))
          )
          const { operation } = yield* undone(moved.id)
          expect(yield* rows).toStrictEqual(["x a", "x a", "a", "b", "c"])
          yield* undone(operation.id)
          expect(yield* rows).toStrictEqual(["x a", "x a", "a", "x b", "c"])
        })
      )
    )

    it.effect("of a reminder that was set or removed moves `updated` of every list that shows it", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [home, away] = [yield* listNamed("home"), yield* listNamed("away")]
          const thing = yield* make({ text: "a", list_id: home.id })
          yield* make({ clone_of: thing.id, list_id: away.id })
          const set = yield* done(remind(thing.id, { at: "2026-12-01T09:00:00Z" }))
          const removed = yield* done((yield* Reminders).remove(thing.id))
          for (const { id } of [removed, set]) {
            const { operation } = yield* undone(id)
            for (const list of [home, away])
              expect((yield* (yield* Lists).view(list.id)).list.updated).toBe(operation.at)
          }
        })
      )
    )

    it.effect("moves `updated` of the lists that its things leave or return to", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const { view } = yield* Lists
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          const added = yield* done(make({ text: "a", list_id: one.id }))
          const moved = yield* done(patch(added.value.id, { list_id: two.id }))
          const removed = yield* done((yield* Things).remove(added.value.id))
          for (const [{ id }, lists] of [
            [removed, [two]],
            [moved, [one, two]],
            [added, [one]]
          ] as const) {
            const { at } = (yield* undone(id)).operation
            for (const list of lists) expect((yield* view(list.id)).list.updated).toBe(at)
          }
        })
      )
    )

    it.effect("gives what it restores the time of the undo as `updated`", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const { remove, update, view } = yield* Lists
          const { id } = yield* listNamed("home")
          const thing = yield* make({ text: "a", list_id: id })
          const renamed = yield* done(update(id, { title: "house" }))
          const edited = yield* done(patch(thing.id, { text: "b" }))
          const removed = yield* done(remove(id))
          const updatedBy = Effect.fnUntraced(function* (operation: string) {
            const { at } = (yield* undone(operation)).operation
            const { list, things } = yield* view(id)
            return [list, ...things].map(({ updated }) => updated === at)
          })
          expect(yield* updatedBy(removed.id)).toStrictEqual([true, true])
          expect(yield* updatedBy(edited.id)).toStrictEqual([true, true])
          expect(yield* updatedBy(renamed.id)).toStrictEqual([true, false])
        })
      )
    )

    it.effect("of any operation in a random history breaks no reference, whether it is blocked or not", () =>
      Effect.forEach(
        Array.from({ length: histories }, (_, at) => at),
        (seed) =>
          asOwner((account) =>
            Effect.gen(function* () {
              const random = randomOf(1000 + seed)
              yield* listNamed("first")
              const operations: Array<string> = []
              let taken = 0
              for (let step = 0; step < steps; step++) {
                const id = yield* randomStep(random)
                if (id !== undefined) operations.push(id)
                const some = operations[Math.floor(random() * operations.length)]
                if (some === undefined) continue
                const before = yield* stateOf(account)
                const result = yield* Effect.result(undone(some))
                const after = yield* stateOf(account)
                if (Result.isFailure(result)) expect(after).toStrictEqual(before)
                else taken++
                if (Result.isSuccess(result)) operations.push(result.success.operation.id)
                expect(brokenIn(after), `history ${seed}, step ${step}`).toStrictEqual([])
              }
              expect(taken).toBeGreaterThan(0)
            })
          )
      )
    )
  })
}
