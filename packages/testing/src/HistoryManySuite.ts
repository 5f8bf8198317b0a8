import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { byTypeAndId, type EntityKey } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { newAccount, thing } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { homeOfTwo, written } from "./Operations.ts"

const timeOf = Effect.fnUntraced(function* (owner: AccountId, id: string | undefined) {
  return (yield* (yield* HistoryStore).get(owner, id ?? ""))?.at as EpochMillis
})

const starred = (thing: Thing): Thing => ({ ...thing, favorited: true })

/** Reads of `HistoryStore` for many entities and several operations at once, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: history of many entities`, (it) => {
    it.effect("gives the same for many entities at once as for each of them", () =>
      Effect.gen(function* () {
        const { owner, things, history, home } = yield* homeOfTwo
        const all = Array.from({ length: 150 }, (_, at) => thing(owner, home.id, { text: `Thing ${at}` }))
        const first = yield* written(owner, () => things.insert(owner, all))
        const changed = [all.slice(0, 3), all.slice(2, 140), all.slice(100, 101)]
        for (const [at, some] of changed.entries())
          yield* written(owner, () =>
            things.put(
              owner,
              some.map((each) => ({ ...each, text: `Changed ${at}` }))
            )
          )
        yield* written(owner, () => things.remove(owner, [all[149]!.id]))
        const at = yield* timeOf(owner, first)
        const keys = all.map(({ id }): EntityKey => ({ type: "thing", id }))
        const later = yield* history.later(owner, at, keys)
        expect(later.map((each) => each.keys.length)).toStrictEqual([3, 138, 1, 1])
        const seldom = yield* history.later(owner, at, [keys[2]!, keys[100]!])
        expect(seldom.map(({ operation }) => operation.id)).toStrictEqual(
          later.slice(0, 3).map(({ operation }) => operation.id)
        )
        expect((yield* history.after(owner, at, keys)).map(({ value }) => value)).toStrictEqual(all)
        const second = later[1]!.operation.at
        for (const some of [keys, keys.slice(95, 105)])
          expect((yield* history.after(owner, second, some)).map(({ value }) => (value as Thing).text)).toStrictEqual(
            some.map(({ id }) => {
              const n = all.findIndex((each) => each.id === id)
              return n < 2 ? "Changed 0" : n < 140 ? "Changed 1" : `Thing ${n}`
            })
          )
      })
    )

    it.effect("gives thousands of entities of an operation, each as it was before it", () =>
      Effect.gen(function* () {
        const { owner, things, history, home } = yield* homeOfTwo
        const all = Array.from({ length: 2_050 }, (_, at) => thing(owner, home.id, { text: `Thing ${at}` }))
        const added = thing(owner, home.id)
        yield* written(owner, () => things.insert(owner, all))
        const changed = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* things.put(owner, all.map(starred))
            yield* things.put(
              owner,
              all.slice(0, 10).map((each) => ({ ...each, text: "Changed again" }))
            )
            yield* things.insert(owner, [added])
            yield* things.remove(
              owner,
              all.slice(1_000).map(({ id }) => id)
            )
          })
        )
        const at = yield* timeOf(owner, changed)
        const expected = [
          ...all.map((value, n) => ({
            type: "thing" as const,
            id: value.id,
            change: n < 1_000 ? "updated" : "deleted",
            before: { type: "thing", value }
          })),
          { type: "thing" as const, id: added.id, change: "created", before: undefined }
        ].toSorted(byTypeAndId)
        for (const limit of [2_050, 1_000_000])
          expect(yield* history.entities(owner, at, limit)).toStrictEqual({
            items: expected.slice(0, limit),
            hasMore: limit < 2_051
          })
      })
    )

    it.effect("gives the changes that some operations made to some entities", () =>
      Effect.gen(function* () {
        const { owner, things, history, home, milk: a, tea: b } = yield* homeOfTwo
        const key = ({ id }: { readonly id: string }): EntityKey => ({ type: "thing", id })
        const made = thing(owner, home.id)
        const first = yield* written(owner, () =>
          Effect.andThen(things.put(owner, [a, b].map(starred)), things.insert(owner, [made]))
        )
        const second = yield* written(owner, () => things.remove(owner, [a.id]))
        const [one, two] = [yield* timeOf(owner, first), yield* timeOf(owner, second)]
        const asked = [
          { at: one, keys: [key(made), key(a)] },
          { at: two, keys: [key(a)] }
        ]
        const shape = Effect.map(history.changesOf(owner, asked), (found) =>
          [...found].map(([at, changes]) => [
            at,
            changes.map(({ before, change, id }) => [id, change, before?.value]).toSorted()
          ])
        )
        expect((yield* shape).toSorted()).toStrictEqual([
          [
            one,
            [
              [a.id, "updated", a],
              [made.id, "created", undefined]
            ].toSorted()
          ],
          [two, [[a.id, "deleted", starred(a)]]]
        ])
        yield* history.erase(owner, { before: two })
        expect(yield* shape).toStrictEqual([[two, [[a.id, "deleted", starred(a)]]]])
        expect(yield* history.changesOf(owner, [])).toStrictEqual(new Map())
        expect(yield* history.changesOf((yield* newAccount()).id, asked)).toStrictEqual(new Map())
      })
    )
  })
}
