import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { earliest, latest, newList, newThings, noon } from "./Fixtures.ts"
import type { ThingPorts } from "./ThingQuerySuite.ts"
import { byId, setup } from "./ThingStoreSuite.ts"

/** Positions of things in `ThingStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore, order`, (it) => {
    it.effect("ofList is sorted by sortTime, then sequence, then id", () =>
      Effect.gen(function* () {
        const positions = [
          [noon, 2],
          [noon, 0],
          [noon - 9, 5],
          [noon + 9, 0],
          [noon, 0],
          [noon, 0],
          [earliest, 1]
        ] as const
        const { things, owner, home, made } = yield* setup(
          positions.map(([sortTime, sequence]) => ({ position: { sortTime, sequence } }))
        )
        const expected = made.toSorted(
          (a, b) => a.position.sortTime - b.position.sortTime || a.position.sequence - b.position.sequence || byId(a, b)
        )
        expect(yield* things.ofList(owner, home.id)).toStrictEqual(expected)
      })
    )

    it.effect("ofListAfter pages through a list in its order, whatever the page size", () =>
      Effect.gen(function* () {
        const { owner, home, things } = yield* setup(
          Array.from({ length: 7 }, (_, n) => ({ position: { sortTime: n % 2, sequence: Math.floor(n / 4) } }))
        )
        yield* newThings(owner, (yield* newList(owner)).id, [{}])
        const all = yield* things.ofList(owner, home.id)
        for (const size of [1, 2, 7, 8]) {
          const read: Array<Thing> = []
          for (let more = true; more;) {
            const page = yield* things.ofListAfter(owner, home.id, read.at(-1), size)
            read.push(...page)
            more = page.length === size
          }
          expect(read).toStrictEqual(all)
        }
      })
    )

    it.effect("ends returns the last position of each list, and none of an empty list", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup()
        const [empty, other] = [yield* newList(owner), yield* newList(owner)]
        expect((yield* things.ends(owner, [home.id])).size).toBe(0)
        expect((yield* things.ends(owner, [])).size).toBe(0)
        yield* newThings(owner, other.id, [{ position: { sortTime: latest, sequence: 1 } }])
        yield* newThings(owner, home.id, [
          { position: { sortTime: noon, sequence: 3 } },
          { position: { sortTime: noon, sequence: 10 } },
          { position: { sortTime: noon - 1, sequence: 99 } }
        ])
        expect(new Map(yield* things.ends(owner, [home.id, empty.id, other.id]))).toStrictEqual(
          new Map([
            [home.id, { sortTime: noon, sequence: 10 }],
            [other.id, { sortTime: latest, sequence: 1 }]
          ])
        )
      })
    )

    it.effect("lastAt returns the last position of each sortTime that has things, per list", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup([
          { position: { sortTime: noon, sequence: 10 } },
          { position: { sortTime: noon, sequence: 3 } },
          { position: { sortTime: noon - 1, sequence: 0 } },
          { position: { sortTime: noon + 1, sequence: 8 } }
        ])
        const other = yield* newList(owner)
        yield* newThings(owner, other.id, [{ position: { sortTime: noon, sequence: 50 } }])
        const last = yield* things.lastAt(
          owner,
          new Map([
            [home.id, [noon, addMillis(noon, -1), noon, addMillis(noon, -7)]],
            [other.id, [noon]]
          ])
        )
        expect(last.get(home.id)?.toSorted((a, b) => b.sortTime - a.sortTime)).toStrictEqual([
          { sortTime: noon, sequence: 10 },
          { sortTime: noon - 1, sequence: 0 }
        ])
        expect(last.get(other.id)).toStrictEqual([{ sortTime: noon, sequence: 50 }])
        expect((yield* things.lastAt(owner, new Map())).size).toBe(0)
      })
    )

    it.effect("openGaps moves the things behind a position of the same sortTime and list", () =>
      Effect.gen(function* () {
        const positions = [
          [noon, 0],
          [noon, 1],
          [noon, 2],
          [noon, 3],
          [noon + 1, 2],
          [noon - 1, 2]
        ] as const
        const { things, owner, home, made } = yield* setup(
          positions.map(([sortTime, sequence]) => ({ position: { sortTime, sequence } }))
        )
        const other = yield* newList(owner)
        const [elsewhere] = yield* newThings(owner, other.id, [{ position: { sortTime: noon, sequence: 2 } }])
        yield* things.openGaps(owner, home.id, [{ sortTime: noon, sequence: 1 }])
        const after = yield* Effect.forEach(made, (one) => things.get(owner, one.id))
        expect(after.map((one) => one?.position.sequence)).toStrictEqual([0, 1, 3, 4, 2, 2])
        expect(after[3]).toStrictEqual({ ...made[3]!, position: { sortTime: noon, sequence: 4 } })
        expect(yield* things.get(owner, elsewhere!.id)).toStrictEqual(elsewhere)
      })
    )

    it.effect("openGaps makes room after many positions at once, and closeGaps reverts it", () =>
      Effect.gen(function* () {
        const at = [0, 1, 2, 3, 5, 5, 6].map((sequence) => ({ position: { sortTime: noon, sequence } }))
        const { things, owner, home, made } = yield* setup([...at, { position: { sortTime: noon + 1, sequence: 7 } }])
        const positions = [5, 1, 2].map((sequence) => ({ sortTime: noon, sequence }))
        yield* things.openGaps(owner, home.id, [
          ...positions,
          { sortTime: addMillis(noon, 1), sequence: 7 },
          { sortTime: addMillis(noon, 1), sequence: 0 }
        ])
        const after = yield* Effect.forEach(made, (one) => things.get(owner, one.id))
        expect(after.map((one) => one?.position.sequence)).toStrictEqual([0, 1, 3, 5, 7, 7, 9, 8])
        yield* things.closeGaps(owner, home.id, [
          ...[7, 1, 3].map((sequence) => ({ sortTime: noon, sequence })),
          { sortTime: addMillis(noon, 1), sequence: 8 },
          { sortTime: addMillis(noon, 1), sequence: 0 }
        ])
        expect(yield* Effect.forEach(made, (one) => things.get(owner, one.id))).toStrictEqual(made)
      })
    )
  })
}
