import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { addMillis, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { AccountId, ListId, type ThingId } from "@lists-and-things/domain/model/Ids"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { at, freshId, malformedIds, newAccount, newList, newThings, noon, reminder, thing } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { changesOf, makeCall, named, withCall } from "./Operations.ts"
import { full } from "./ThingStoreSuite.ts"

/** An account with a list of two plain things. */
const given = Effect.gen(function* () {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner)
  const [milk, bread] = yield* newThings(owner, home.id, [{ text: "Milk", tags: ["Shop"] }, { text: "Bread" }])
  const stores = { storage: yield* Storage, lists: yield* ListStore, things: yield* ThingStore }
  return { owner, home, milk: milk!, bread: bread!, ...stores }
})

const by = (changes: Partial<Thing>) => (found: { readonly thing: Thing }) =>
  Effect.succeed({ ...found.thing, ...changes })

const completed = by({ completed: true })

/** The contract of `ThingStore.revise`, and of `put` when it is given the former things, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore.revise`, (it) => {
    it.effect("stores every decided field, and keeps the others", () =>
      Effect.gen(function* () {
        const { bread, home, lists, milk, owner, things } = yield* given
        const { listRef: _, markup: __, ...content } = full(milk, home.id, null)
        const { created: ___, position: ____, updated: _____, ...fields } = content
        for (const changes of [fields, { note: "n" }, { tags: ["Other"], url: "" }, { tags: [] }, { code: false }]) {
          const before = (yield* things.get(owner, milk.id))!
          const revised = (yield* things.revise(owner, milk.id, by(changes)))!
          expect(revised).toStrictEqual({ ...before, ...changes, updated: revised.updated })
          expect(yield* things.get(owner, milk.id)).toStrictEqual(revised)
          expect(revised.updated).toBeGreaterThan(before.updated)
          expect((yield* lists.get(owner, home.id))?.updated).toBe(revised.updated)
          const tags = (yield* things.tagCounts(owner)).map((tag) => tag.name)
          expect(tags.toSorted()).toStrictEqual([...revised.tags].toSorted())
        }
        expect(yield* things.get(owner, bread.id)).toStrictEqual(bread)
      })
    )

    it.effect("updates what search and duplicates find", () =>
      Effect.gen(function* () {
        const { home, milk, owner, things } = yield* given
        const content = { text: "**Oat** drink", url: "https://example.com/oats" }
        yield* things.revise(owner, milk.id, by(content))
        const found = (query: string) =>
          Effect.map(things.search(owner, query, 10), ({ items }) => items.map(({ id }) => id))
        expect(yield* found("oat drink")).toStrictEqual([milk.id])
        expect(yield* found("milk")).toStrictEqual([])
        const keys = { texts: [content.text, "Milk"], urls: [content.url] }
        const known = (yield* things.duplicates(owner, new Map([[home.id, keys]]))).get(home.id)
        expect(known).toStrictEqual({ texts: new Set([content.text]), urls: new Set([content.url]) })
        yield* things.revise(owner, milk.id, by({ code: true }))
        expect(yield* found("**oat**")).toStrictEqual([milk.id])
      })
    )

    it.effect("`put` with the former things stores what it is given", () =>
      Effect.gen(function* () {
        const { bread, home, milk, owner, things } = yield* given
        const put = (after: ReadonlyArray<Thing>, before: ReadonlyArray<Thing>) =>
          Effect.gen(function* () {
            yield* things.put(owner, after, new Map(before.map((one) => [one.id, one])))
            for (const one of after) expect(yield* things.get(owner, one.id)).toStrictEqual(one)
            return after
          })
        const each = (of: ReadonlyArray<Thing>, changes: Partial<Thing>) =>
          Effect.suspend(() =>
            put(
              of.map((one) => ({ ...one, ...changes })),
              of
            )
          )
        const flagged = yield* each([milk, bread], { canceled: true, updated: 7 as EpochMillis })
        const mixed = yield* put([{ ...flagged[0]!, completed: true }, flagged[1]!], flagged)
        const turned = mixed.map((one) => ({ ...one, completed: !one.completed, tabs: 2, type: "none" as const }))
        const [first, other] = yield* put(turned, mixed)
        yield* put([{ ...first!, text: "Oats", updated: 9 as EpochMillis }, other!], [first!, other!])
        const tagged = yield* things.page(owner, { listId: home.id, tag: "shop", sort: "updated" }, 0, 5)
        expect(tagged.items.map((one) => [one.id, one.updated])).toStrictEqual([[milk.id, 9]])
      })
    )

    it.effect("`put` with the former things records them in its operation", () =>
      Effect.gen(function* () {
        const { milk, owner, storage, things } = yield* given
        const call = makeCall()
        const change = (updated: EpochMillis) =>
          things.put(owner, [{ ...milk, completed: true, updated }], new Map([[milk.id, milk]]))
        yield* storage.transact(owner, change).pipe(withCall(call))
        expect((yield* changesOf(owner, call.recorded))?.items).toStrictEqual([
          { type: "thing", id: milk.id, change: "updated", before: { type: "thing", value: milk } }
        ])
      })
    )

    for (const skew of [0, 30_000, 600_000])
      it.effect(`has the time that a transaction would have, with a last write ${skew} ms ahead of the clock`, () =>
        Effect.gen(function* () {
          const { milk, owner, storage, things } = yield* given
          yield* at(noon + skew)(storage.transact(owner, Effect.succeed))
          const taken = storage.transact(owner, (updated) => Effect.fail(updated))
          const expected = yield* Effect.flip(at(noon)(taken))
          expect((yield* at(noon)(things.revise(owner, milk.id, completed)))?.updated).toBe(expected)
        })
      )

    it.effect("records an operation with the former thing, or without it if only `updated` changes", () =>
      Effect.gen(function* () {
        const { home, milk, owner, things } = yield* given
        const history = yield* HistoryStore
        const call = makeCall({ summary: "Completed it" })
        const revised = yield* things.revise(owner, milk.id, completed).pipe(withCall(call))
        expect(call.summary).toBeUndefined()
        const operation = yield* history.get(owner, call.recorded!)
        expect(operation?.at).toBe(revised?.updated)
        expect([operation?.name, operation?.by, operation?.summary]).toStrictEqual([call.name, call.by, "Completed it"])
        const { items } = (yield* changesOf(owner, call.recorded))!
        expect(items.map(named)).toStrictEqual([`updated thing ${milk.id}`])
        expect(items[0]?.before?.value).toStrictEqual(milk)

        yield* things.revise(owner, milk.id, completed).pipe(withCall(call))
        expect((yield* history.get(owner, call.recorded!))?.counts.things).toBe(0)
        expect((yield* changesOf(owner, call.recorded))!.items).toStrictEqual([])
        const after = addMillis(writeTimestampOf(call.recorded!)!, -1)
        const [following] = yield* history.following(owner, after, 0, 100)
        expect(following!.keys.map(({ id }) => id).toSorted()).toStrictEqual([milk.id, home.id].toSorted())
      })
    )

    it.effect("writes nothing if the thing is not plain or unknown, or if nothing is decided", () =>
      Effect.gen(function* () {
        const { bread, home, lists, milk, owner, things } = yield* given
        const reminders = yield* ReminderStore
        yield* reminders.put(owner, [reminder(bread)])
        const [original] = yield* newThings(owner, home.id, [{ hasClones: true }])
        const [copy] = yield* newThings(owner, home.id, [{ cloneOf: original!.id }])
        const stranger = yield* newAccount()
        const before = yield* lists.get(owner, home.id)
        for (const id of [bread.id, original!.id, copy!.id, freshId(), ...malformedIds])
          expect(yield* things.revise(owner, id, completed)).toBeUndefined()
        expect(yield* things.revise(stranger.id, milk.id, completed)).toBeUndefined()
        expect(yield* things.revise(owner, milk.id, () => Effect.succeed(undefined))).toBeUndefined()
        expect(yield* lists.get(owner, home.id)).toStrictEqual(before)
        expect((yield* things.ofList(owner, home.id)).filter((each) => each.completed)).toStrictEqual([])
      })
    )

    it.effect("writes nothing if another write changes the thing while it decides", () =>
      Effect.gen(function* () {
        const { bread, home, milk, owner, storage, things } = yield* given
        const reminders = yield* ReminderStore
        const meanwhile = <A, E>(write: (updated: EpochMillis) => Effect.Effect<A, E>) => {
          const other = Effect.orDie(storage.transact(owner, write))
          return things.revise(owner, milk.id, (found) => Effect.andThen(other, completed(found)))
        }
        const isOpen = Effect.map(things.get(owner, milk.id), (now) => now?.completed === false)
        expect(
          yield* meanwhile((updated) => things.put(owner, [{ ...milk, text: "Oat milk", updated }]))
        ).toBeUndefined()
        expect((yield* things.get(owner, milk.id))?.text).toBe("Oat milk")
        expect(yield* meanwhile(() => reminders.put(owner, [reminder(milk)]))).toBeUndefined()
        expect(yield* isOpen).toBe(true)
        yield* storage.transact(owner, () => reminders.remove(owner, [milk.id]))
        expect(yield* meanwhile(() => things.put(owner, [{ ...bread, text: "Rolls" }]))).toMatchObject({
          completed: true,
          text: "Oat milk",
          listId: home.id
        })
        expect(yield* meanwhile(() => things.remove(owner, [milk.id]))).toBeUndefined()
      })
    )

    it.effect("takes no write timestamp if the thing has changed since it was seen", () =>
      Effect.gen(function* () {
        const { milk, owner, things } = yield* given
        const history = yield* HistoryStore
        const seen = (yield* things.withReminder(owner, milk.id))!
        yield* things.revise(owner, milk.id, completed)
        const before = yield* history.head(owner)
        expect(yield* things.revise(owner, milk.id, by({ text: "Oat milk" }), { seen })).toBeUndefined()
        expect(yield* history.head(owner)).toStrictEqual(before)
      })
    )

    it.effect("writes nothing within an outer write or a dry run", () =>
      Effect.gen(function* () {
        const { milk, owner, storage, things } = yield* given
        const revision = things.revise(owner, milk.id, completed)
        expect(yield* storage.transact(owner, () => revision)).toBeUndefined()
        expect(yield* revision.pipe(withCall(makeCall({ inspect: () => Effect.void })))).toBeUndefined()
        expect(yield* things.get(owner, milk.id)).toStrictEqual(milk)
      })
    )

    it.effect("can be batched with concurrent writes of any account", () =>
      Effect.gen(function* () {
        const { things } = yield* given
        const history = yield* HistoryStore
        const homes = yield* Effect.forEach([1, 2, 3], () => Effect.flatMap(newAccount(), ({ id }) => newList(id)))
        const made = yield* Effect.forEach(homes, ({ id, owner }) =>
          newThings(
            owner,
            id,
            Array.from({ length: 8 }, (_, n) => ({ text: `thing ${n}` }))
          )
        )
        const revisions = made.flat().map(({ id, owner }) => things.revise(owner, id, by({ note: id })))
        const { position: _, created: __, updated: ___, ...added } = thing(homes[0]!.owner, homes[0]!.id)
        const appended = Array.from({ length: 5 }, () => things.append({ ...added, id: freshId() as ThingId }))
        const answers = yield* Effect.all([...revisions, ...appended], { concurrency: "unbounded" })
        expect(answers).not.toContain(undefined)
        for (const { id, owner, updated } of homes) {
          const own = (answers as ReadonlyArray<Thing>).filter((each) => each.listId === id)
          const stored = yield* things.ofList(owner, id)
          expect(new Set(stored)).toStrictEqual(new Set(own))
          const times = own.map((each) => each.updated)
          expect(new Set(times).size).toBe(own.length)
          const following = yield* history.following(owner, updated, 0, 100)
          expect(following.map((each) => each.at)).toStrictEqual(times.toSorted((a, b) => a - b))
        }
      })
    )

    it.effect(
      "writes nothing to a seen thing of a family, with a reminder or changed since, nor into an unknown list",
      () =>
        Effect.gen(function* () {
          const { bread, home, milk, owner, things } = yield* given
          const [original] = yield* newThings(owner, home.id, [{ hasClones: true }])
          const [copy] = yield* newThings(owner, home.id, [{ cloneOf: original!.id }])
          yield* Effect.flatMap(ReminderStore, (reminders) => reminders.put(owner, [reminder(bread)]))
          const before = yield* things.ofList(owner, home.id)
          const revised = (seen: Thing, changes: Partial<Thing>) =>
            things.reviseIfUnchanged(owner, { thing: seen, reminder: undefined }, { thing: { ...seen, ...changes } })
          for (const seen of [original!, copy!, bread, { ...milk, updated: addMillis(milk.updated, 1) }])
            expect(yield* revised(seen, { text: "Another" })).toBeUndefined()
          expect(yield* revised(milk, { listId: ListId.make(freshId()) })).toBeUndefined()
          expect(yield* things.ofList(owner, home.id)).toStrictEqual(before)
        })
    )

    it.effect("writes nothing for an unknown account", () =>
      Effect.gen(function* () {
        const { milk, things } = yield* given
        expect(yield* things.revise(AccountId.make(freshId()), milk.id, completed)).toBeUndefined()
      })
    )
  })
}
