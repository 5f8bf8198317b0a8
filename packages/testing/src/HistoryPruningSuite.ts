import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HistoryRetention } from "@lists-and-things/domain/history/HistoryRetention"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { at, freshId, newAccount, newList, newThings, thing } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { changesOf, makeCall, withCall, written } from "./Operations.ts"
import { addMillis, epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** A time before the operations of all other tests. */
const ancient = EpochMillis(Date.UTC(1985, 0, 1))

/** An account with operations that each change a note of 1,000 characters, a second apart from `ancient` on. */
const given = Effect.fnUntraced(function* (count: number) {
  const { id: owner } = yield* newAccount()
  const things = yield* ThingStore
  const history = yield* HistoryStore
  const home = yield* newList(owner)
  const [note] = yield* newThings(owner, home.id, [{ note: "x".repeat(1_000) }])
  const ids: Array<string> = []
  for (let n = 0; n < count; n++) {
    const change = written(owner, () => things.put(owner, [{ ...note!, text: `${n}` }]))
    ids.push((yield* change.pipe(at(ancient + 1_000 * n)))!)
  }
  return { owner, home, history, things, ids }
})

const kept = Effect.fnUntraced(function* (owner: AccountId, ids: ReadonlyArray<string>) {
  const { items } = yield* Effect.flatMap(HistoryStore, (history) => history.page(owner, {}, 0, 50))
  return ids.map((id) => items.some((operation) => operation.id === id))
})

/** The operations that still have their images. */
const imaged = (owner: AccountId, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Effect.map(changesOf(owner, id), (changes) => changes !== undefined))

/** Pruning of the history, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: pruning the history`, (it) => {
    it.effect("removes the oldest operations first, up to a number, and never the newest of an account", () =>
      Effect.gen(function* () {
        const { owner, history, ids } = yield* given(4)
        const late = addMillis(ancient, 3_000)
        const beginning = { at: epoch, operation: undefined }
        const second = yield* Effect.map(history.get(owner, ids[1]!), (found) => ({
          at: found!.at,
          operation: found!.id
        }))
        expect(yield* history.covers(owner, beginning)).toBe(true)
        expect(yield* history.prune(addMillis(ancient, -1), 10)).toBe(0)
        expect(yield* history.prune(late, 1)).toBe(1)
        expect(yield* kept(owner, ids)).toStrictEqual([false, true, true, true])
        expect(yield* history.covers(owner, second)).toBe(true)
        expect(yield* history.prune(addMillis(second.at, -1), 10)).toBe(0)
        expect(yield* history.prune(second.at, 10)).toBe(1)
        expect(yield* history.prune(late, 10)).toBe(1)
        expect(yield* history.prune(late, 10)).toBe(0)
        expect(yield* kept(owner, ids)).toStrictEqual([false, false, false, true])
        for (const lost of [beginning, second]) expect(yield* history.covers(owner, lost)).toBe(false)
        expect(yield* history.covers(owner, yield* history.head(owner))).toBe(true)
        expect(yield* imaged(owner, ids)).toStrictEqual([false, false, false, true])
      })
    )

    it.effect("removes the given number of operations per step across accounts", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* given(3), yield* given(4)]
        const first = yield* one.history.prune(addMillis(ancient, 60_000), 3)
        const rest = yield* one.history.prune(addMillis(ancient, 60_000), 3)
        expect([first, rest]).toStrictEqual([3, 2])
        expect(yield* kept(one.owner, one.ids)).toStrictEqual([false, false, true])
        expect(yield* kept(other.owner, other.ids)).toStrictEqual([false, false, false, true])
      })
    )

    it.effect("removes the oldest images until the others fit; the operations stay", () =>
      Effect.gen(function* () {
        const { owner, history, ids } = yield* given(5)
        const spare = yield* given(1)
        expect(yield* history.pruneImages(1_000_000, 10)).toBe(0)
        expect(yield* imaged(owner, ids)).toStrictEqual([true, true, true, true, true])
        expect(yield* history.pruneImages(5_000, 1)).toBe(1)
        expect(yield* imaged(owner, ids)).toStrictEqual([false, true, true, true, true])
        expect(yield* history.pruneImages(5_000, 10)).toBe(1)
        expect(yield* history.pruneImages(5_000, 10)).toBe(0)
        expect(yield* imaged(owner, ids)).toStrictEqual([false, false, true, true, true])
        expect(yield* kept(owner, ids)).toStrictEqual([true, true, true, true, true])
        expect(yield* imaged(spare.owner, spare.ids)).toStrictEqual([true])
        expect(yield* history.covers(owner, { at: epoch, operation: undefined })).toBe(true)
      })
    )

    it.effect("by erasing removes the images of one operation, or of all before a time", () =>
      Effect.gen(function* () {
        const { owner, history, ids } = yield* given(4)
        const stranger = yield* given(1)
        expect(yield* history.erase(owner, { operation: ids[2]! })).toBe(1)
        expect(yield* history.erase(owner, { operation: ids[2]! })).toBe(0)
        for (const unknown of [freshId(), "no-id", stranger.ids[0]!])
          expect(yield* history.erase(owner, { operation: unknown })).toBe(0)
        expect(yield* imaged(owner, ids)).toStrictEqual([true, true, false, true])
        expect(yield* history.erase(owner, { before: addMillis(ancient, 1_000) })).toBe(1)
        expect(yield* imaged(owner, ids)).toStrictEqual([false, true, false, true])
        expect(yield* imaged(stranger.owner, stranger.ids)).toStrictEqual([true])
        expect(yield* history.pruneImages(0, 100)).toBeGreaterThanOrEqual(2)
        expect(yield* imaged(owner, ids)).toStrictEqual([false, false, false, false])
      })
    )

    it.effect("does not affect another account's operations of the same times, nor its bytes of images", () =>
      Effect.gen(function* () {
        const [one, other, newest] = [yield* given(3), yield* given(3), yield* given(1)]
        const { history } = one
        const times = yield* Effect.forEach([one, other, newest], ({ ids, owner }) => history.get(owner, ids[0]!))
        expect(times.map((operation) => operation?.at)).toStrictEqual([ancient, ancient, ancient])
        expect(yield* history.erase(one.owner, { operation: one.ids[1]! })).toBe(1)
        expect(yield* history.erase(one.owner, { before: addMillis(ancient, 1) })).toBe(1)
        expect(yield* imaged(other.owner, other.ids)).toStrictEqual([true, true, true])
        yield* history.prune(ancient, 1_000)
        expect(yield* kept(other.owner, other.ids)).toStrictEqual([false, true, true])
        expect(yield* imaged(newest.owner, newest.ids)).toStrictEqual([true])
        expect(yield* history.covers(newest.owner, { at: epoch, operation: undefined })).toBe(true)
        yield* history.pruneImages(0, 1_000)
        expect(yield* imaged(other.owner, other.ids)).toStrictEqual([false, false, false])
        expect(yield* imaged(newest.owner, newest.ids)).toStrictEqual([false])
      })
    )

    it.effect("counts images of single-statement writes like others", () =>
      Effect.gen(function* () {
        const things = yield* ThingStore
        const history = yield* HistoryStore
        const seen = (note: Thing) => ({ thing: note, reminder: undefined })
        const writes: ReadonlyArray<(note: Thing) => Effect.Effect<unknown, unknown>> = [
          (note) => things.revise(note.owner, note.id, () => Effect.succeed({ ...note, text: "revised" })),
          (note) => things.reviseIfUnchanged(note.owner, seen(note), { thing: { ...note, text: "revised" } }),
          (note) => things.reviseIfUnchanged(note.owner, seen(note), "removed")
        ]
        for (const write of writes) {
          const { id: owner } = yield* newAccount()
          const home = yield* newList(owner)
          const [note] = yield* newThings(owner, home.id, [{ note: "x".repeat(1_000) }])
          const call = makeCall()
          // Undefined if the adapter leaves it to a transaction.
          if ((yield* write(note!).pipe(withCall(call))) === undefined) continue
          expect(yield* imaged(owner, [call.recorded!])).toStrictEqual([true])
          expect(yield* history.pruneImages(1_000, 100)).toBe(1)
          expect(yield* imaged(owner, [call.recorded!])).toStrictEqual([false])
        }
      })
    )

    it.effect("leaves the earlier state of an entity unknown when its image was removed", () =>
      Effect.gen(function* () {
        const { owner, history, ids } = yield* given(2)
        const [first, second] = yield* Effect.forEach(ids, (id) => history.get(owner, id))
        const { items } = (yield* changesOf(owner, second!.id))!
        expect(yield* history.after(owner, first!.at, items)).toHaveLength(1)
        yield* history.erase(owner, { operation: second!.id })
        expect(yield* history.after(owner, first!.at, items)).toStrictEqual([])
        expect(yield* history.after(owner, second!.at, items)).toHaveLength(1)
      })
    )

    it.effect("does not prevent the removal of the account, which leaves operations of another one as they are", () =>
      Effect.gen(function* () {
        const [{ owner, history }, other] = [yield* given(3), yield* given(3)]
        yield* history.prune(addMillis(ancient, 60_000), 10)
        const newest = changesOf(other.owner, other.ids[2]!)
        const before = yield* newest
        const accounts = yield* AccountStore
        expect(yield* accounts.remove(owner)).toBe(true)
        expect((yield* history.page(owner, {}, 0, 50)).items).toStrictEqual([])
        expect(before?.items).toHaveLength(1)
        expect(yield* newest).toStrictEqual(before)
      })
    )
  })

  const withoutImages = layer.pipe(Layer.provide(Layer.succeed(HistoryRetention, { days: 0, bytes: 1_000_000 })))
  withLayer(withoutImages, { excludeTestServices: true })(`${name}: a history that is kept for zero days`, (it) => {
    it.effect("has operations without images", () =>
      Effect.gen(function* () {
        const { owner, home, history, things, ids } = yield* given(2)
        const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
        const call = makeCall()
        yield* things.append(fields).pipe(withCall(call))
        const all = [...ids, call.recorded!]
        expect(yield* kept(owner, all)).toStrictEqual([true, true, true])
        expect(yield* imaged(owner, all)).toStrictEqual([false, false, false])
        expect((yield* history.following(owner, epoch, 0, 10)).flatMap(({ keys }) => keys)).toHaveLength(4)
        expect((yield* history.get(owner, ids[0]!))?.counts.things).toBe(1)
      })
    )

    it.effect("still has images within a dry run", () =>
      Effect.gen(function* () {
        const { owner, home, history, things } = yield* given(1)
        const storage = yield* Storage
        const [first] = yield* things.ofList(owner, home.id)
        let seen: unknown
        const call = makeCall({
          inspect: (operation) =>
            Effect.map(history.entities(owner, operation!.at, 10), (found) => (seen = found?.items[0]?.before))
        })
        yield* storage.transact(owner, () => things.remove(owner, [first!.id])).pipe(withCall(call))
        expect(seen).toStrictEqual({ type: "thing", value: first })
      })
    )
  })
}
