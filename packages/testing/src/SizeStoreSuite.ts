import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountId, ThingId } from "@lists-and-things/domain/model/Ids"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { nothing, plus, sizeOf } from "@lists-and-things/domain/model/Size"
import type { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import type { Thing, ThingContent } from "@lists-and-things/domain/model/Thing"
import { freshId, hostileTexts, malformedIds, newAccount, newList, newThings, thing } from "./Fixtures.ts"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

type Ports = Storage | AccountStore | ListStore | ThingStore | SizeStore

/** The limits that this suite's layers must be built with; `append` checks them. */
export const suiteLimits: (typeof SizeLimits)["Service"] = {
  list: { things: 5, bytes: 40_000 },
  account: { things: 8, bytes: 60_000 }
}

const sizes = (owner: AccountId) =>
  Effect.gen(function* () {
    const lists = yield* (yield* ListStore).all(owner)
    const store = yield* SizeStore
    const storage = yield* Storage
    return yield* storage.transact(owner, () =>
      store.sizes(
        owner,
        lists.map(({ id }) => id)
      )
    )
  })

/** Expects the maintained sizes to equal those that the domain computes. */
const assertCounted = Effect.fnUntraced(function* (owner: AccountId) {
  const counted = yield* sizes(owner)
  const store = yield* ThingStore
  let all = nothing
  for (const { id } of yield* (yield* ListStore).all(owner)) {
    const size = (yield* store.ofList(owner, id)).map(sizeOf).reduce(plus, nothing)
    expect(counted.lists.get(id)).toStrictEqual(size)
    all = plus(all, size)
  }
  expect(counted.account).toStrictEqual(all)
  expect(yield* (yield* SizeStore).ofAccount(owner)).toStrictEqual(all)
  return all
})

const written: Partial<ThingContent> = {
  text: "Käse 🦊",
  note: "ä".repeat(100),
  url: "https://example.com/ü",
  photos: ["https://example.com/1.png", "https://example.com/2.png"],
  tags: ["Größe", "b"]
}

const newThing = (of: Thing) => {
  const { position: _position, created: _created, updated: _updated, ...fields } = of
  return fields
}

const setup = Effect.fnUntraced(function* () {
  const { id: owner } = yield* newAccount()
  const [home, other] = [yield* newList(owner), yield* newList(owner)]
  return { owner, home, other, things: yield* ThingStore, lists: yield* ListStore, storage: yield* Storage }
})

/** The contract of `SizeStore` for the writes of all stores, for any adapter. Its layer is built with `suiteLimits`. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: SizeStore`, (it) => {
    it.effect("counts every kind of write", () =>
      Effect.gen(function* () {
        const { home, lists, other, owner, storage, things } = yield* setup()
        expect(yield* assertCounted(owner)).toStrictEqual(nothing)
        expect(yield* things.append(newThing(thing(owner, other.id, written)))).toBeTypeOf("object")
        expect(yield* assertCounted(owner)).toStrictEqual(sizeOf(thing(owner, other.id, written)))
        const made = yield* newThings(owner, home.id, [written, {}, ...hostileTexts.map((text) => ({ text }))])
        const held = yield* assertCounted(owner)
        expect(held.things).toBe(3 + hostileTexts.length)
        const [first, second] = made as [Thing, Thing]
        yield* things.put(owner, [
          { ...first, note: "", tags: [] },
          { ...second, photos: ["https://example.com/"] }
        ])
        yield* assertCounted(owner)
        yield* things.put(owner, [
          { ...first, listId: other.id },
          { ...second, ...written, listId: other.id }
        ])
        yield* assertCounted(owner)
        yield* things.put(owner, [thing(owner, home.id, written)])
        yield* assertCounted(owner)
        yield* lists.touch(owner, [home.id], EpochMillis(7))
        yield* lists.put({ ...other, title: "other", updated: EpochMillis(9) })
        yield* storage.transact(owner, () => things.remove(owner, [first.id, freshId(), "no id"]))
        yield* assertCounted(owner)
        yield* things.remove(owner, [freshId()])
        const left = yield* assertCounted(owner)
        expect(left.things).toBe(held.things - 1)
        yield* lists.remove(owner, home.id)
        expect((yield* assertCounted(owner)).things).toBe(2)
        yield* lists.remove(owner, other.id)
        expect(yield* assertCounted(owner)).toStrictEqual(nothing)
      })
    )

    it.effect("counts nothing of a write that is rolled back", () =>
      Effect.gen(function* () {
        const { home, owner, storage, things } = yield* setup()
        const [made] = yield* newThings(owner, home.id, [written])
        const before = yield* sizes(owner)
        const write = Effect.gen(function* () {
          yield* things.append(newThing(thing(owner, home.id, written)))
          yield* newThings(owner, home.id, [written])
          yield* things.remove(owner, [made!.id])
          return yield* Effect.fail("undo")
        })
        expect(yield* Effect.flip(storage.transact(owner, () => write))).toBe("undo")
        expect(yield* sizes(owner)).toStrictEqual(before)
      })
    )

    it.effect("separates owners, and has no size of an unknown list", () =>
      Effect.gen(function* () {
        const { home, owner } = yield* setup()
        const stranger = yield* newAccount()
        yield* newThings(owner, home.id, [written])
        const store = yield* SizeStore
        const ids = [home.id, freshId(), ...malformedIds] as Array<string> as Array<typeof home.id>
        const seen = yield* (yield* Storage).transact(stranger.id, () => store.sizes(stranger.id, ids))
        expect(seen).toStrictEqual({ account: nothing, lists: new Map() })
      })
    )

    it.effect("finds lists by their days", () =>
      Effect.gen(function* () {
        const { owner } = yield* setup()
        const day = yield* newList(owner, { day: "2026-11-21" })
        yield* newThings(owner, day.id, [written])
        const [store, storage] = [yield* SizeStore, yield* Storage]
        const days = [{ day: "2026-11-21" }, { day: "2026-11-22" }]
        const seen = yield* storage.transact(owner, () => store.sizes(owner, days))
        expect([...seen.lists]).toStrictEqual([...(yield* sizes(owner)).lists].filter(([id]) => id === day.id))
        expect(seen.lists.get(day.id)?.things).toBe(1)
      })
    )

    it.effect("appends up to the limits of the list and the account, and not one more", () =>
      Effect.gen(function* () {
        const { home, other, owner, things } = yield* setup()
        const append = (list: typeof home, fields: Partial<Thing> = {}) =>
          things.append(newThing(thing(owner, list.id, { ...fields, id: freshId() as ThingId })))
        for (let n = 0; n < suiteLimits.list.things; n++) expect(yield* append(home)).toBeTypeOf("object")
        expect(yield* append(home)).toBe("no room")
        expect(yield* append(other, { note: "x".repeat(suiteLimits.list.bytes + 1) })).toBe("no room")
        for (let n = suiteLimits.list.things; n < suiteLimits.account.things; n++)
          expect(yield* append(other)).toBeTypeOf("object")
        expect(yield* append(other)).toBe("no room")
        expect((yield* assertCounted(owner)).things).toBe(suiteLimits.account.things)
      })
    )

    it.effect("appends concurrent things as far as they fit, and refuses the others", () =>
      Effect.gen(function* () {
        const { home, owner, things } = yield* setup()
        const neighbour = yield* newList((yield* newAccount()).id)
        const many = Array.from({ length: 2 * suiteLimits.list.things }, (_, n) =>
          n % 2 === 0 ? thing(owner, home.id) : thing(neighbour.owner, neighbour.id)
        )
        const answers = yield* Effect.all(
          [...many, ...many.map((each) => ({ ...each, id: freshId() as ThingId }))].map((each) =>
            things.append(newThing(each))
          ),
          { concurrency: "unbounded" }
        )
        expect(answers.filter((each) => each === "no room").length).toBe(many.length)
        for (const id of [owner, neighbour.owner])
          expect((yield* assertCounted(id)).things).toBe(suiteLimits.list.things)
      })
    )
  })
}
