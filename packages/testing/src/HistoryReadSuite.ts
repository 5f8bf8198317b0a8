import { expect, layer as withLayer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { type EntityKey, byTypeAndId, OperationId, settingsOf } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { HistoryStore, stateParts } from "@lists-and-things/domain/ports/HistoryStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import {
  freshId,
  key,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  place,
  placeTrigger,
  reminder,
  thing
} from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { changesOf, historyStores, written } from "./Operations.ts"
import { addMillis, epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** An account with a list of three things, stored without operations. */
const given = Effect.gen(function* () {
  const account = yield* newAccount()
  const owner = account.id
  const home = yield* newList(owner, { title: "Home" })
  const [a, b, c] = yield* newThings(owner, home.id, [{ text: "a" }, { text: "b" }, { text: "c" }])
  return { ...(yield* historyStores), account, owner, home, a: a!, b: b!, c: c! }
})

const timeOf = (owner: AccountId, id: string | undefined) =>
  Effect.flatMap(HistoryStore, (history) =>
    Effect.map(history.get(owner, id ?? ""), (operation) => operation?.at ?? EpochMillis(Number.NaN))
  )

const inOrder = (keys: ReadonlyArray<EntityKey>): ReadonlyArray<EntityKey> => keys.toSorted(byTypeAndId)

const starred = (thing: Thing): Thing => ({ ...thing, favorited: true })
const withNote = (thing: Thing): Thing => ({ ...thing, note: "n" })

/** Reads of `HistoryStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: reading the history`, (it) => {
    it.effect("gives the operations page by page, newest first", () =>
      Effect.gen(function* () {
        const { owner, things, history, a } = yield* given
        const ids: Array<string> = []
        for (const text of ["1", "2", "3", "4", "5"])
          ids.push((yield* written(owner, () => things.put(owner, [{ ...a, text }])))!)
        const page = Effect.fnUntraced(function* (number: number) {
          const { hasMore, items } = yield* history.page(owner, {}, number, 2)
          return { ids: items.map(({ id }) => id), hasMore }
        })
        expect(yield* page(0)).toStrictEqual({ ids: [ids[4], ids[3]], hasMore: true })
        expect(yield* page(1)).toStrictEqual({ ids: [ids[2], ids[1]], hasMore: true })
        expect(yield* page(2)).toStrictEqual({ ids: [ids[0]], hasMore: false })
        expect(yield* page(3)).toStrictEqual({ ids: [], hasMore: false })
      })
    )

    it.effect("filters by caller, time, thing and list", () =>
      Effect.gen(function* () {
        const { owner, things, lists, reminders, history, home, a, b } = yield* given
        const shop = yield* newList(owner)
        const by = (id: string) => ({ by: { type: "key", id, name: id } as const })
        const first = yield* written(owner, () => things.put(owner, [{ ...a, text: "a1" }]), by("k1"))
        const second = yield* written(owner, () => reminders.put(owner, [reminder(a)]), by("k2"))
        const third = yield* written(
          owner,
          () => Effect.andThen(things.remove(owner, [b.id]), lists.touch(owner, [home.id], noon)),
          by("k1")
        )
        const fourth = yield* written(owner, () => lists.put({ ...shop, title: "Shop" }), by("k1"))
        const fifth = yield* written(owner, () => things.remove(owner, [a.id]), by("k2"))
        const found = (filter: Parameters<typeof history.page>[1]) =>
          Effect.map(history.page(owner, filter, 0, 50), ({ items }) => items.map(({ id }) => id))
        expect(yield* found({ byId: "k1" })).toStrictEqual([fourth, third, first])
        expect(yield* found({ since: yield* timeOf(owner, third) })).toStrictEqual([fifth, fourth])
        const before = yield* timeOf(owner, third)
        expect(yield* found({ before })).toStrictEqual([second, first])
        expect(yield* found({ before, byId: "k1" })).toStrictEqual([first])
        expect(yield* found({ before, since: yield* timeOf(owner, first) })).toStrictEqual([second])
        expect(yield* found({ before, thingId: a.id })).toStrictEqual([second, first])
        expect(yield* found({ thingId: a.id })).toStrictEqual([fifth, second, first])
        expect(yield* found({ thingId: b.id })).toStrictEqual([third])
        expect(yield* found({ listId: home.id })).toStrictEqual([third])
        expect(yield* found({ listId: shop.id })).toStrictEqual([fourth])
        expect(yield* found({ thingId: a.id, byId: "k1" })).toStrictEqual([first])
        expect(yield* found({ listId: a.id })).toStrictEqual([])
        for (const id of malformedIds) {
          expect(yield* found({ thingId: id })).toStrictEqual([])
          expect(yield* found({ listId: id })).toStrictEqual([])
        }
      })
    )

    it.effect("does not find an unknown operation, a malformed id or one of another account", () =>
      Effect.gen(function* () {
        const { owner, things, history, a } = yield* given
        const stranger = yield* given
        const id = (yield* written(owner, () => things.remove(owner, [a.id])))!
        expect(yield* history.get(owner, id)).toBeDefined()
        const other = id.endsWith("0") ? `${id.slice(0, -1)}1` : `${id.slice(0, -1)}0`
        for (const unknown of [other, freshId(), ...malformedIds])
          expect(yield* history.get(owner, unknown)).toBeUndefined()
        expect(yield* history.get(stranger.owner, id)).toBeUndefined()
        expect(yield* history.entities(stranger.owner, yield* timeOf(owner, id), 10)).toBeUndefined()
        expect((yield* history.page(stranger.owner, {}, 0, 50)).items).toStrictEqual([])
      })
    )

    it.effect("gives the entities of a large operation by type and id, up to a number", () =>
      Effect.gen(function* () {
        const { owner, things, lists, reminders, home } = yield* given
        const many = yield* newThings(
          owner,
          home.id,
          Array.from({ length: 1_200 }, (_, at) => ({ text: `${at}` }))
        )
        const reminded = many.slice(0, 7).map((each) => reminder(each))
        yield* reminders.put(owner, reminded)
        const id = yield* written(owner, () => lists.remove(owner, home.id))
        const all = (yield* changesOf(owner, id))!
        expect(all.hasMore).toBe(false)
        expect(all.items).toHaveLength(1 + 3 + 1_200 + 7)
        expect(inOrder(all.items)).toStrictEqual(all.items)
        const texts = new Map(
          all.items.flatMap(({ before, id }) => (before?.type === "thing" ? [[id, before.value.text]] : []))
        )
        for (const { id, text } of many) expect(texts.get(id)).toBe(text)
        const some = (yield* changesOf(owner, id, 600))!
        expect(some).toStrictEqual({ items: all.items.slice(0, 600), hasMore: true })
        expect(yield* things.ofList(owner, home.id)).toStrictEqual([])
      })
    )

    it.effect("gives entities as they were right after an operation", () =>
      Effect.gen(function* () {
        const { owner, things, lists, history, home, a, b, c } = yield* given
        const key = (of: { readonly id: string }): EntityKey => ({ type: "thing", id: of.id })
        const first = yield* written(owner, () => things.put(owner, [{ ...a, text: "a1" }]))
        yield* written(owner, () => lists.touch(owner, [home.id], addMillis(noon, 1)))
        yield* written(owner, () =>
          things.put(owner, [
            { ...a, text: "a2" },
            { ...b, text: "b2" }
          ])
        )
        const later = thing(owner, home.id)
        yield* written(owner, () => Effect.andThen(things.remove(owner, [a.id]), things.insert(owner, [later])))
        const at = yield* timeOf(owner, first)
        const keys = [
          key(later),
          key(b),
          key(a),
          key(c),
          { type: "list", id: home.id } as const,
          key({ id: freshId() })
        ]
        expect((yield* history.after(owner, at, keys)).map(({ value }) => value)).toStrictEqual([
          b,
          { ...a, text: "a1" },
          c,
          { ...home, updated: noon + 1 }
        ])
        expect(yield* history.after(owner, at, [])).toStrictEqual([])
      })
    )

    it.effect("finds the later operations on entities, and marks one as undone", () =>
      Effect.gen(function* () {
        const { owner, account, things, reminders, history, a, b, c } = yield* given
        const key = (of: { readonly id: string }): EntityKey => ({ type: "thing", id: of.id })
        const first = yield* written(owner, () => things.put(owner, [a, b].map(starred)))
        const second = yield* written(owner, () => things.put(owner, [b, c].map(withNote)))
        yield* written(owner, () => reminders.put(owner, [reminder(a)]))
        const third = yield* written(owner, () => things.remove(owner, [a.id, b.id]))
        const at = yield* timeOf(owner, first)
        const found = Effect.map(history.later(owner, at, [key(a), key(b)]), (all) =>
          all.map(({ keys, operation }) => ({ id: operation.id, keys: inOrder(keys) }))
        )
        expect(yield* found).toStrictEqual([
          { id: second, keys: [key(b)] },
          { id: third, keys: inOrder([key(a), key(b)]) }
        ])
        expect(yield* history.later(owner, at, [{ type: "account", id: account.id }])).toStrictEqual([])
        expect(yield* history.later(owner, at, [])).toStrictEqual([])
        const undo = OperationId.make(freshId())
        const storage = yield* Storage
        yield* storage.transact(owner, () => history.putUndoneBy(owner, at, undo))
        expect(yield* history.get(owner, first!)).toMatchObject({ undoneBy: undo, summary: "updateThing" })
      })
    )

    it.effect("gives all entities that were changed, shifted or touched after a point, in order of the writes", () =>
      Effect.gen(function* () {
        const { owner, things, lists, history, home, a, b, c } = yield* given
        const start = (yield* history.head(owner)).at
        const first = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* things.openGaps(owner, home.id, [a.position])
            yield* things.put(owner, [{ ...a, text: "a1" }])
            yield* lists.touch(owner, [home.id], addMillis(noon, 1))
          })
        )
        const second = yield* written(owner, () => things.remove(owner, [c.id]))
        const all = yield* history.following(owner, start, 0, 100)
        const keys = inOrder([
          { type: "list", id: home.id },
          ...[a, b, c].map(({ id }) => ({ type: "thing", id }) as const)
        ])
        expect(all).toStrictEqual([
          { id: first, at: yield* timeOf(owner, first), keys, rest: 0 },
          { id: second, at: yield* timeOf(owner, second), keys: [{ type: "thing", id: c.id }], rest: 0 }
        ])
        expect((yield* changesOf(owner, first))?.items.map(({ id }) => id)).toStrictEqual([a.id])
        expect(yield* history.following(owner, start, 1, 2)).toStrictEqual([
          { ...all[0], keys: keys.slice(1, 3), rest: 1 }
        ])
        expect(yield* history.following(owner, start, 3, 5)).toStrictEqual([{ ...all[0], keys: keys.slice(3) }, all[1]])
        for (const beyond of [4, 1_000_000])
          expect(yield* history.following(owner, start, beyond, 1)).toStrictEqual([{ ...all[0], keys: [] }, all[1]])
        expect(yield* history.following(owner, all[0]!.at, 0, 5)).toStrictEqual([all[1]])
        expect(yield* history.following(owner, all[1]!.at, 0, 5)).toStrictEqual([])
        const third = yield* written(owner, () => things.closeGaps(owner, home.id, [a.position]))
        expect(yield* history.following(owner, all[1]!.at, 0, 5)).toMatchObject([
          { id: third, keys: [{ type: "thing", id: b.id }] }
        ])
        expect((yield* changesOf(owner, third))?.items).toStrictEqual([])
      })
    )

    it.effect("tells operations that changed nothing but what they created", () =>
      Effect.gen(function* () {
        const { owner, home, things, history, a } = yield* given
        const onlyCreated = (id: string | undefined) =>
          Effect.flatMap(timeOf(owner, id), (at) => history.onlyCreated(owner, at))
        const added = () => things.insert(owner, [thing(owner, home.id)])
        const created = yield* written(owner, added)
        const updated = yield* written(owner, () => things.put(owner, [starred(a)]))
        const both = yield* written(owner, () => Effect.andThen(things.put(owner, [a]), added()))
        expect(yield* Effect.forEach([created, updated, both], onlyCreated)).toStrictEqual([true, false, false])
        yield* history.erase(owner, { operation: created! })
        expect(yield* onlyCreated(created)).toBe(false)
        expect(yield* history.onlyCreated(owner, epoch)).toBe(false)
      })
    )

    it.effect("covers a point while its operation is the last one before it", () =>
      Effect.gen(function* () {
        const { owner, things, history, a, b } = yield* given
        const storage = yield* Storage
        const beginning = yield* history.head(owner)
        expect(beginning).toStrictEqual({ at: 0, operation: undefined })
        expect(yield* history.covers(owner, beginning)).toBe(true)
        const first = yield* written(owner, () => things.put(owner, [starred(a)]))
        yield* storage.transact(owner, () => Effect.void)
        const point = yield* history.head(owner)
        expect(point.operation).toBe(first)
        expect(point.at).toBeGreaterThan(yield* timeOf(owner, first))
        const second = yield* written(owner, () => things.put(owner, [starred(b)]))
        expect(yield* history.head(owner)).toStrictEqual({ at: yield* timeOf(owner, second), operation: second })
        for (const covered of [beginning, point]) expect(yield* history.covers(owner, covered)).toBe(true)
        for (const lost of [
          { ...point, operation: undefined },
          { ...point, operation: OperationId.make(freshId()) },
          { ...point, at: yield* timeOf(owner, second) },
          { at: epoch, operation: point.operation }
        ])
          expect(yield* history.covers(owner, lost)).toBe(false)
      })
    )

    it.effect("gives the head and the state of one moment within a snapshot", () =>
      Effect.gen(function* () {
        const { owner, things, history, a } = yield* given
        const storage = yield* Storage
        const [opened, removed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const reading = Effect.gen(function* () {
          const { operation } = yield* history.head(owner)
          const state = yield* history.state(owner, "originals", undefined, 10)
          return { operation, things: state.length, following: (yield* history.following(owner, epoch, 0, 10)).length }
        })
        const snapshot = Effect.gen(function* () {
          const before = yield* reading
          yield* Deferred.succeed(opened, undefined)
          yield* Deferred.await(removed)
          return [before, yield* reading]
        })
        const reader = yield* Effect.forkChild(storage.snapshot(owner, snapshot))
        yield* Deferred.await(opened)
        const id = yield* written(owner, () => things.remove(owner, [a.id]))
        yield* Deferred.succeed(removed, undefined)
        const before = { operation: undefined, things: 3, following: 0 }
        expect(yield* Fiber.join(reader)).toStrictEqual([before, before])
        expect(yield* reading).toStrictEqual({ operation: id, things: 2, following: 1 })
      })
    )

    it.effect("gives the state part by part, by id", () =>
      Effect.gen(function* () {
        const { owner, account, things, reminders, places, history, home, a, b, c } = yield* given
        const copy = thing(owner, home.id, { cloneOf: a.id })
        yield* things.insert(owner, [copy])
        const saved = place(owner)
        yield* places.put(saved)
        const timed = reminder(a)
        const placed = reminder(b, { trigger: placeTrigger(saved.id) })
        yield* reminders.put(owner, [timed, placed])
        const read = Effect.fnUntraced(function* (part: (typeof stateParts)[number], size: number) {
          const found = []
          let after: string | undefined
          for (;;) {
            const some = yield* history.state(owner, part, after, size)
            found.push(...some)
            if (some.length < size) return found
            after = some.at(-1)?.value.id
          }
        })
        const sorted = <A extends { readonly id: string }>(all: ReadonlyArray<A>) =>
          all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const expected = {
          account: [{ type: "account", value: settingsOf(account) }],
          places: [{ type: "place", value: saved }],
          lists: [{ type: "list", value: home }],
          originals: sorted([a, b, c]).map((value) => ({ type: "thing", value })),
          copies: [{ type: "thing", value: copy }],
          reminders: sorted([timed, placed]).map((value) => ({ type: "reminder", value }))
        }
        for (const part of stateParts)
          for (const size of [1, 2, 100]) expect(yield* read(part, size)).toStrictEqual(expected[part])
      })
    )

    it.effect("gives the current entities, in the order of the given keys", () =>
      Effect.gen(function* () {
        const { owner, account, reminders, places, history, home, a, b } = yield* given
        const stranger = yield* given
        const saved = place(owner)
        yield* places.put(saved)
        const timed = reminder(a)
        yield* reminders.put(owner, [timed])
        const keys: ReadonlyArray<EntityKey> = [
          { type: "reminder", id: timed.id },
          { type: "thing", id: b.id },
          { type: "place", id: saved.id },
          { type: "thing", id: stranger.a.id },
          { type: "list", id: home.id },
          { type: "reminder", id: a.id },
          { type: "account", id: owner },
          { type: "account", id: stranger.owner },
          { type: "thing", id: a.id }
        ]
        expect((yield* history.current(owner, keys)).map(({ value }) => value)).toStrictEqual([
          timed,
          b,
          saved,
          home,
          settingsOf(account),
          a
        ])
        expect(yield* history.current(owner, [])).toStrictEqual([])
      })
    )

    it.effect("gives the last writes of many accounts, and the revoked keys", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* given, yield* given]
        const id = yield* written(mine.owner, () => mine.things.remove(mine.owner, [mine.a.id]))
        const unknown = freshId() as AccountId
        const [valid, revoked] = [key(mine.owner), key(theirs.owner, { revoked: noon })]
        const keys = yield* KeyStore
        for (const each of [valid, revoked]) yield* keys.insert(each)
        const asked = [valid.id, revoked.id, "unknown"]
        const found = yield* mine.history.watch([mine.owner, unknown, theirs.owner], asked)
        expect([...found.lastWrites].toSorted()).toStrictEqual(
          [
            [mine.owner, yield* timeOf(mine.owner, id)],
            [theirs.owner, 0]
          ].toSorted()
        )
        expect(found.revoked).toStrictEqual(new Set([revoked.id, "unknown"]))
        expect(yield* mine.history.watch([], [])).toStrictEqual({ lastWrites: new Map(), revoked: new Set() })
      })
    )

    it.effect("is complete if every program that writes records its writes", () =>
      Effect.gen(function* () {
        expect(yield* Effect.flatMap(HistoryStore, ({ isComplete }) => isComplete)).toBe(true)
      })
    )
  })
}
