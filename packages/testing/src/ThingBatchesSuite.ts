import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import type { List } from "@lists-and-things/domain/model/List"
import { nothing, plus, sizeOf } from "@lists-and-things/domain/model/Size"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings, thing } from "./Fixtures.ts"
import { newestFirst, type ThingPorts } from "./ThingQuerySuite.ts"

/** A write of one thing, which returns what it stored. */
type Write = Effect.Effect<Thing, unknown, ThingStore>

const append = (owner: AccountId, list: ListId, text: string): Write => {
  const { created: _, position: __, updated: ___, ...fields } = thing(owner, list, { text, tags: ["New", text] })
  return Effect.flatMap(ThingStore, (things) => Effect.map(things.append(fields), (made) => made as Thing))
}

const revise = (before: Thing, changes: Partial<Thing>): Write =>
  Effect.flatMap(ThingStore, (things) =>
    Effect.map(
      things.revise(before.owner, before.id, (found) => Effect.succeed({ ...found.thing, ...changes })),
      (revised) => revised!
    )
  )

/** An account with two lists of three things each, the last of which stays unchanged, and an empty list. */
const setup = Effect.gen(function* () {
  const { id: owner } = yield* newAccount()
  const [home, work, empty] = [yield* newList(owner), yield* newList(owner), yield* newList(owner)]
  const made = yield* Effect.forEach([home, work], ({ id }) =>
    newThings(
      owner,
      id,
      [0, 1, 2].map((n) => ({ text: `${n}`, note: "ä".repeat(n), tags: ["Old", `${n}`] }))
    )
  )
  return { owner, lists: [home, work, empty], made }
})

/** A write of each kind for each list, ordered so that no two successive ones are in the same list. */
const writesOf = ({ lists, made, owner }: Effect.Success<typeof setup>): ReadonlyArray<Write> => {
  const [first, second, , third, fourth] = made.flat()
  const [home, work, empty] = lists.map(({ id }) => id) as [ListId, ListId, ListId]
  return [
    append(owner, home, "one"),
    revise(third!, { text: "longer than before", note: "" }),
    append(owner, empty, "two"),
    revise(first!, { tags: ["Old", "Other"], photos: ["https://example.com/1.png"] }),
    append(owner, work, "three"),
    revise(second!, { favorited: true }),
    append(owner, empty, "four"),
    revise(fourth!, {}),
    append(owner, home, "five")
  ]
}

const byId = <A extends { readonly id: string }>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Concurrent writes of single things, which an adapter may store in one batch, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts | SizeStore, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: concurrent writes`, (it) => {
    it.effect("are each stored as returned, with a time of their own, and change nothing else", () =>
      Effect.gen(function* () {
        const [things, lists, sizes] = [yield* ThingStore, yield* ListStore, yield* SizeStore]
        const accounts = yield* Effect.forEach([1, 2, 3], () => setup)
        const alone = yield* Effect.forEach(accounts, ({ owner }) => newList(owner))
        const stored = (owner: AccountId, all: ReadonlyArray<List>) =>
          Effect.map(
            Effect.forEach(all, ({ id }) => things.ofList(owner, id)),
            (found) => found.flat()
          )
        const before = yield* Effect.forEach(accounts, (each) => stored(each.owner, each.lists))
        const writes = accounts.map(writesOf)
        // The writes of the accounts alternate.
        const inTurn = writes[0]!.flatMap((_, at) => writes.map((each, account) => ({ account, write: each[at]! })))
        const answers = yield* Effect.forEach(
          inTurn,
          ({ account, write }) => Effect.map(write, (answer) => ({ account, answer })),
          { concurrency: "unbounded" }
        )
        for (const [at, { lists: own, owner }] of accounts.entries()) {
          const written = answers.filter(({ account }) => account === at).map(({ answer }) => answer)
          const known = new Set(written.map(({ id }) => id))
          const expected = [...before[at]!.filter(({ id }) => !known.has(id)), ...written]
          const found = yield* stored(owner, own)
          expect(byId(found)).toStrictEqual(byId(expected))
          expect(new Set(written.map(({ updated }) => updated)).size).toBe(written.length)
          expect(yield* lists.get(owner, alone[at]!.id)).toStrictEqual(alone[at])
          for (const { id } of own) {
            const held = found.filter(({ listId }) => listId === id)
            expect((yield* lists.get(owner, id))?.updated).toBe(Math.max(...held.map(({ updated }) => updated)))
            expect(yield* sizes.ofList(owner, id)).toStrictEqual(held.map(sizeOf).reduce(plus, nothing))
          }
          expect(yield* sizes.ofAccount(owner)).toStrictEqual(found.map(sizeOf).reduce(plus, nothing))
          for (const sort of ["created", "updated"] as const) {
            const tagged = yield* things.page(owner, { tag: "old", sort }, 0, 50)
            const hasTag = found.filter(({ tags }) => tags.includes("Old"))
            expect(tagged.items).toStrictEqual(hasTag.toSorted(newestFirst(sort)))
          }
        }
      })
    )
  })
}
