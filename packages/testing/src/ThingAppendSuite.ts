import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { AccountId, type ListId } from "@lists-and-things/domain/model/Ids"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { dateOfWrite } from "@lists-and-things/domain/days/ClockSkew"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import type { NewThing } from "@lists-and-things/domain/ports/ThingStore"
import { positionAllocator } from "@lists-and-things/domain/things/PositionAllocator"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { endPositions } from "./EndPositions.ts"
import { at, freshId, latest, malformedIds, newAccount, newList, newThings, noon, thing } from "./Fixtures.ts"
import type { ThingPorts } from "./ThingQuerySuite.ts"
import { full, setup } from "./ThingStoreSuite.ts"

const newThing = (of: Thing): NewThing => {
  const { position: _position, created: _created, updated: _updated, ...fields } = of
  return fields
}

/** The added thing; undefined for an unknown list. */
const added = (answer: Thing | "no room" | "repeated" | undefined): Thing | undefined => {
  expect(answer).not.toBeTypeOf("string")
  return answer as Thing | undefined
}

/** The contract of `ThingStore.append`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore.append`, (it) => {
    for (const { expected, name, occupied, skew } of endPositions)
      it.effect(`gives the same position as a write of several steps: ${name}`, () =>
        Effect.gen(function* () {
          const { owner, home, things } = yield* setup()
          const storage = yield* Storage
          const other = yield* newList(owner)
          yield* newThings(owner, other.id, [{ position: { sortTime: latest, sequence: 99 } }])
          yield* newThings(
            owner,
            home.id,
            occupied.map((position) => ({ position }))
          )
          if (skew !== undefined) yield* at(noon + skew)(storage.transact(owner, Effect.succeed))
          const allocated = storage.transact(owner, (writeTimestamp) =>
            Effect.gen(function* () {
              const allocator = positionAllocator(things, owner, yield* dateOfWrite(writeTimestamp))
              const positions = yield* allocator.allocate([{ listId: home.id }])
              return yield* Effect.fail(positions[0])
            })
          )
          expect(yield* Effect.flip(at(noon)(allocated))).toStrictEqual(expected)
          const made = added(yield* at(noon)(things.append(newThing(thing(owner, home.id)))))
          expect(made?.position).toStrictEqual(expected)
        })
      )

    it.effect("keeps every field", () =>
      Effect.gen(function* () {
        const { owner, home, things } = yield* setup()
        const other = yield* newList(owner)
        const storage = yield* Storage
        const lists = yield* ListStore
        for (const tags of [["a"], ["b", "c"]]) {
          const fields = newThing({
            ...full(thing(owner, home.id), other.id, null),
            tags: ["Work", ...tags],
            listRef: null,
            hasClones: false,
            markup: ""
          })
          const made = added(yield* things.append(fields))!
          const { created, position } = made
          expect(made).toStrictEqual({ ...fields, position, created, updated: created })
          expect(yield* things.get(owner, made.id)).toStrictEqual(made)
          expect((yield* lists.get(owner, home.id))?.updated).toBe(made.created)
          expect(yield* storage.transact(owner, Effect.succeed)).toBeGreaterThan(made.created)
        }
        const tags = (yield* things.tagCounts(owner)).map(({ count, name }) => [name, count])
        expect(tags).toContainEqual(["Work", 2])
      })
    )

    it.effect("joins an outer write, with its writeTimestamp, and is rolled back with it", () =>
      Effect.gen(function* () {
        const { owner, home, things } = yield* setup()
        const storage = yield* Storage
        const writeTimestamps = yield* storage.transact(owner, (writeTimestamp) =>
          Effect.map(things.append(newThing(thing(owner, home.id))), (made) => [writeTimestamp, added(made)?.created])
        )
        expect(writeTimestamps[1]).toBe(writeTimestamps[0])
        const failing = storage.transact(owner, () =>
          Effect.andThen(things.append(newThing(thing(owner, home.id))), Effect.fail("undo"))
        )
        expect(yield* Effect.flip(failing)).toBe("undo")
        expect(yield* things.ofList(owner, home.id)).toHaveLength(1)
      })
    )

    it.effect("finds no list of another owner, and fails for an unknown account", () =>
      Effect.gen(function* () {
        const { owner, home, things } = yield* setup()
        const stranger = yield* newAccount()
        expect(yield* things.append(newThing(thing(stranger.id, home.id)))).toBe(undefined)
        const gone = things.append(newThing(thing(AccountId.make(freshId()), home.id)))
        expect((yield* Effect.flip(gone))._tag).toBe("NotFound")
        for (const id of malformedIds)
          expect(yield* things.append(newThing(thing(owner, id as ListId)))).toBe(undefined)
      })
    )

    it.effect("stores concurrently added things each in its own account, list and position", () =>
      Effect.gen(function* () {
        const { things } = yield* setup()
        const homes = yield* Effect.forEach([1, 2, 3, 4], () => Effect.flatMap(newAccount(), ({ id }) => newList(id)))
        const drafts = Array.from({ length: 60 }, (_, n) => {
          const home = homes[n % homes.length]!
          const ownListOf = n % 10 === 9 ? homes[(n + 1) % homes.length]! : home
          return newThing(thing(home.owner, ownListOf.id, { text: `thing ${n}`, tags: n % 3 === 0 ? ["x"] : [] }))
        })
        const unknown = newThing(thing(AccountId.make(freshId()), homes[0]!.id))
        const answers = yield* Effect.all(
          [...drafts, unknown].map((draft) => Effect.result(things.append(draft))),
          {
            concurrency: "unbounded"
          }
        )
        expect(Result.isFailure(answers.at(-1)!)).toBe(true)
        const made = answers.slice(0, -1).map((result) => added(Result.getOrThrow(result)))
        made.forEach((one, n) => expect(one === undefined).toBe(n % 10 === 9))
        for (const home of homes) {
          const own = made.filter((one) => one !== undefined).filter((one) => one.listId === home.id)
          const stored = yield* things.ofList(home.owner, home.id)
          const byPlace = own.toSorted(
            (a, b) => a.position.sortTime - b.position.sortTime || a.position.sequence - b.position.sequence
          )
          expect(stored).toStrictEqual(byPlace)
          expect(new Set(own.map((one) => one.created)).size).toBe(own.length)
          const tagged = own.filter((one) => one.tags.length > 0).length
          expect(yield* things.tagCounts(home.owner)).toStrictEqual([{ name: "x", count: tagged }])
        }
      })
    )
  })
}
