import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { searchKey, searchRank } from "@lists-and-things/domain/text/SearchRank"
import { nothing, plus, sizeOf } from "@lists-and-things/domain/model/Size"
import type { Limits } from "@lists-and-things/domain/size/SizeLimits"
import { collate, tagKey } from "@lists-and-things/domain/text/TextFold"
import { expect } from "@effect/vitest"
import type { Dump, Instance } from "./Instance.ts"

/** Asserts the invariants of an account's data, whatever was done to it. */
export const assertSound = ({ lists, things, reminders, places, sizes }: Dump, limits: Limits): void => {
  const listIds = new Map(lists.map((list) => [list.id, list]))
  const byId = new Map(things.map((thing) => [thing.id, thing]))
  const days = lists.flatMap((list) => list.day ?? [])
  expect(new Set(days).size, "one list a day").toBe(days.length)
  const held = (some: typeof things) => some.map(sizeOf).reduce(plus, nothing)
  const counted = [held(things), ...lists.map(({ id }) => held(things.filter((thing) => thing.listId === id)))]
  expect(sizes, "what is counted is there").toStrictEqual(counted)
  for (const [index, size] of sizes.entries()) {
    const limit = index === 0 ? limits.account : limits.list
    expect(size.things <= limit.things && size.bytes <= limit.bytes, "nothing holds more than it may").toBe(true)
  }
  for (const thing of things) {
    const list = listIds.get(thing.listId)!
    expect(list.updated, "a list is as new as its things").toBeGreaterThanOrEqual(thing.updated)
    expect(thing.completed && thing.canceled).toBe(false)
    expect(thing.header && thing.subheader).toBe(false)
    expect(thing.quote && thing.code).toBe(false)
    if (thing.listRef !== null) expect(listIds.has(thing.listRef), "no link into nothing").toBe(true)
    expect(thing.hasClones, "hasClones").toBe(things.some((other) => other.cloneOf === thing.id))
    if (thing.cloneOf === null) continue
    const original = byId.get(thing.cloneOf)
    if (original === undefined) return expect.fail("a copy has an original")
    expect(original.cloneOf, "which is no copy itself").toBeNull()
    const { text, type, tags, completed, canceled, note, url } = original
    expect(thing, "copies share their content").toEqual(
      expect.objectContaining({ text, type, tags, completed, canceled, note, url })
    )
  }
  for (const { thingId, trigger } of reminders) {
    expect(byId.get(thingId)?.cloneOf, "a reminder hangs on an original that exists").toBeNull()
    if (trigger._tag === "Place") expect(places.some((place) => place.id === trigger.placeId)).toBe(true)
  }
}

type Sorted = { readonly id: string; readonly updated: number; readonly created: number }

const newest =
  (field: "created" | "updated") =>
  (a: Sorted, b: Sorted): number =>
    b[field] - a[field] || (a.id < b.id ? 1 : -1)

const first50 = <A>(items: ReadonlyArray<A>) => ({ items: items.slice(0, 50), hasMore: items.length > 50 })

const ranked = <A extends Sorted>(items: ReadonlyArray<A>, query: string, forms: (item: A) => ReadonlyArray<string>) =>
  items
    .flatMap((item) => {
      const rank = searchRank(forms(item), searchKey(query))
      return rank === undefined ? [] : [{ item, rank }]
    })
    .sort((a, b) => a.rank - b.rank || newest("updated")(a.item, b.item))
    .map(({ item }) => item)
    .slice(0, 50)

const byName = <A extends { readonly name: string }>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Asserts that reading operations answer what follows from the whole data. */
export const assertReads = async (instance: Instance, dump: Dump, now: number): Promise<void> => {
  const ask = async (operation: string, ...args: ReadonlyArray<unknown>) =>
    JSON.parse(await instance.run(dump.account.id, { operation, args }, now)).value
  const { lists, things } = dump
  const shown = lists.filter(
    (list) => !list.archived && (list.day === null || things.some((thing) => thing.listId === list.id))
  )
  expect(await ask("lists.page", 0)).toStrictEqual(first50(shown.toSorted(newest("updated"))))
  for (const sort of ["created", "updated"] as const)
    expect(await ask("things.page", { sort })).toStrictEqual(first50(things.toSorted(newest(sort))))
  for (const query of ["milk", "STRASSE", "%", "_", "x", "🦊"]) {
    const found = await ask("search.search", query)
    expect(found.lists).toStrictEqual(ranked(lists, query, ({ title }) => searchForms(title, false)))
    expect(found.things).toStrictEqual(ranked(things, query, ({ text, code }) => searchForms(text, code)))
  }
  const spellings = things.toSorted(newest("updated")).flatMap((thing) => thing.tags)
  const counts = [...Map.groupBy(spellings, tagKey).values()].map((same) => ({ name: same[0]!, count: same.length }))
  const tags: ReadonlyArray<{ name: string; count: number }> = await ask("tags.list")
  expect(byName(tags.map(({ count, name }) => ({ name, count })))).toStrictEqual(byName(counts))
  for (const [index, tag] of tags.slice(1).entries())
    expect(tags[index]!.count > tag.count || collate(tags[index]!.name, tag.name) <= 0, "tags are sorted").toBe(true)
}
