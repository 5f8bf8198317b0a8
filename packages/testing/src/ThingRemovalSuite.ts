import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { freshId, malformedIds, newAccount, newList, newThings } from "./Fixtures.ts"
import type { ThingPorts } from "./ThingQuerySuite.ts"
import { setup } from "./ThingStoreSuite.ts"

/**
 * The contract of `ThingStore` for removing many things, and for what it reports about them before, for any adapter.
 */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts | SizeStore | HistoryStore, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: removing things`, (it) => {
    it.effect("outline describes existing things, the first ones in the order of the call, and names missing ids", () =>
      Effect.gen(function* () {
        const { things, owner, home, made } = yield* setup([
          { text: "a" },
          { text: "b" },
          { text: " ", url: "https://c.example" }
        ])
        const away = yield* newList(owner)
        const [other] = yield* newThings(owner, away.id, [{ text: "d" }])
        const [a, b, c] = made
        const [unknown, gone] = [freshId(), freshId()]
        const given = [c!.id, unknown, other!.id, gone, a!.id, unknown, b!.id, c!.id, "nope"]
        const plain = yield* things.outline(owner, given, 3)
        const first = [c!, other!, a!].map(({ text, url }) => ({ text, url }))
        expect({ ...plain, lists: plain.lists.toSorted() }).toStrictEqual({
          count: 4,
          lists: [home.id, away.id].toSorted(),
          hasFamilies: false,
          first,
          missing: [unknown, gone, "nope"]
        })
        const none = { count: 0, lists: [], hasFamilies: false, first: [] }
        expect(yield* things.outline(owner, [], 3)).toStrictEqual({ ...none, missing: [] })
        const strange = [...malformedIds, freshId()]
        expect(yield* things.outline(owner, strange, 3)).toStrictEqual({ ...none, missing: [...new Set(strange)] })
        const theirs = yield* things.outline((yield* newAccount()).id, [a!.id], 3)
        expect(theirs).toStrictEqual({ ...none, missing: [a!.id] })
        expect((yield* things.outline(owner, [a!.id, "nope"], 3)).missing).toStrictEqual(["nope"])
        expect((yield* things.outline(owner, [a!.id, other!.id], 3)).missing).toStrictEqual([])
        const [copy] = yield* newThings(owner, home.id, [{ text: "a", cloneOf: a!.id }])
        expect((yield* things.outline(owner, [copy!.id], 3)).hasFamilies).toBe(true)
        yield* things.put(owner, [{ ...b!, hasClones: true }])
        expect((yield* things.outline(owner, [b!.id], 3)).hasFamilies).toBe(true)
        expect((yield* things.outline(owner, [a!.id], 0)).first).toHaveLength(0)
      })
    )

    it.effect("remove records images of many things, but none of a thing of the same write", () =>
      Effect.gen(function* () {
        const { things, owner, home, made } = yield* setup(
          Array.from({ length: 501 }, (_, n) => ({
            text: `thing ${n}`,
            hasClones: n === 0,
            tags: n % 2 === 0 ? ["even"] : []
          }))
        )
        const [original] = made
        const [copy] = yield* newThings(owner, home.id, [{ text: original!.text, cloneOf: original!.id }])
        const storage = yield* Storage
        const at = yield* storage.transact(owner, (writeTimestamp) =>
          Effect.gen(function* () {
            const [passing] = yield* newThings(owner, home.id, [{ text: "comes and goes" }])
            expect(yield* things.remove(owner, [...made.map(({ id }) => id), passing!.id, freshId()])).toBe(502)
            return writeTimestamp
          })
        )
        const history = yield* HistoryStore
        const changes = (yield* history.entities(owner, at, 600))!.items
        const before = new Map(changes.map((each) => [each.id, each] as const))
        expect(changes).toHaveLength(502)
        for (const thing of made)
          expect(before.get(thing.id)).toStrictEqual({
            type: "thing",
            id: thing.id,
            change: "deleted",
            before: { type: "thing", value: thing }
          })
        expect(before.get(copy!.id)).toMatchObject({ change: "updated", before: { value: copy! } })
        expect((yield* things.get(owner, copy!.id))?.cloneOf).toBeNull()
        const { lists } = yield* storage.transact(owner, () =>
          Effect.flatMap(SizeStore, (sizes) => sizes.sizes(owner, [home.id]))
        )
        expect(lists.get(home.id)).toStrictEqual({ things: 1, bytes: "thing 0".length })
      })
    )
  })
}
