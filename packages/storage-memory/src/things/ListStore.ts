import { Effect, Layer } from "effect"
import type { List } from "@lists-and-things/domain/model/List"
import { type ListSelection, ListStore } from "@lists-and-things/domain/ports/ListStore"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { byId, newestFirst } from "@lists-and-things/domain/model/Ids"
import { titleKey } from "@lists-and-things/domain/text/TextFold"
import { ranked } from "@lists-and-things/domain/search/Ranking"
import { Database } from "../Database.ts"
import { dayListOf, dropThing, releaseCopies, type OwnerData, touchLists } from "../OwnerData.ts"
import { emptyPage, pageOf } from "../Order.ts"

const make = (database: Database["Service"]): ListStore["Service"] => ({
  get: (owner, id) => database.read(owner, (data) => copied(data.lists.get(id))),
  getMany: (owner, ids) =>
    database.read(
      owner,
      (data) => [...new Set(ids)].map((id) => data.lists.get(id)).filter((list) => list !== undefined),
      []
    ),
  byDay: (owner, day) => database.read(owner, (data) => copied(dayListOf(data, day))),
  byTitles: (owner, titles) =>
    database.read(owner, (data) => byTitles(data, new Set(titles.map(titleKey))).map((list) => ({ ...list })), []),
  titles: (owner, limit) =>
    database.read(
      owner,
      (data) =>
        [...data.lists.values()]
          .filter((list) => !list.archived && list.day === null)
          .sort(newestFirst("updated"))
          .slice(0, limit)
          .map(({ id, title }) => ({ id, title: firstCharacters(title, 100) })),
      []
    ),
  page: (owner, page, size, only) =>
    database.read(owner, (data) => pageOf(shown(data, only).toSorted(orderOf(only)), page, size), emptyPage),
  all: (owner) => database.read(owner, (data) => [...data.lists.values()].toSorted(byId), []),
  search: (owner, query, limit) =>
    Effect.flatMap(
      database.read(owner, (data) => [...data.lists.values()], []),
      (lists) =>
        Effect.map(
          ranked(lists, (list) => searchForms(list.title, false), query),
          (found) => pageOf(found, 0, limit)
        )
    ),
  insert: (list) =>
    database.write(
      list.owner,
      (data) => {
        const existing = list.day === null ? undefined : dayListOf(data, list.day)
        if (existing !== undefined) return { ...existing }
        data.lists.set(list.id, list)
        return list
      },
      list
    ),
  put: (list) => database.write(list.owner, (data) => replace(data, list)),
  touch: (owner, ids, updated) => database.write(owner, (data) => touchLists(data, ids, updated)),
  remove: (owner, id) => database.write(owner, (data) => removeList(data, id), false)
})

/** A fresh copy per read, as from any other storage, so that callers cannot rely on identity. */
const copied = (list: List | undefined): List | undefined => list && { ...list }

const titleKeys = new WeakMap<List, string>()

/** Cached per list, since every list is compared. */
const titleKeyOf = (list: List): string => {
  const known = titleKeys.get(list)
  if (known !== undefined) return known
  const key = titleKey(list.title)
  titleKeys.set(list, key)
  return key
}

const byTitles = (data: OwnerData, keys: ReadonlySet<string>): ReadonlyArray<List> => {
  const equal = [...data.lists.values()].filter((list) => keys.has(titleKeyOf(list))).sort(byId)
  return [...Map.groupBy(equal, titleKeyOf).values()].flatMap((same) => same.slice(0, 50))
}

const orderOf = (only: ListSelection | undefined): ((a: List, b: List) => number) =>
  only === "days" ? (a, b) => (a.day! < b.day! ? 1 : -1) : newestFirst("updated")

const shown = (data: OwnerData, only: ListSelection | undefined): ReadonlyArray<List> => {
  const filled = new Set<string>(data.things.values().map((thing) => thing.listId))
  return [...data.lists.values()].filter(
    (list) =>
      list.archived === (only === "archived") &&
      (list.favorited || only !== "favorited") &&
      (only === "ordinary" ? list.day === null : list.day !== null || only !== "days") &&
      (list.day === null || filled.has(list.id))
  )
}

const replace = (data: OwnerData, list: List): void => {
  if (data.lists.has(list.id)) data.lists.set(list.id, list)
}

const removeList = (data: OwnerData, id: string): boolean => {
  if (!data.lists.delete(id)) return false
  const gone = [...data.things.values()].filter((thing) => thing.listId === id)
  for (const thing of gone) dropThing(data, thing.id)
  releaseCopies(data, gone)
  for (const thing of [...data.things.values()])
    if (thing.listRef === id) data.things.set(thing.id, { ...thing, listRef: null })
  data.sizes.delete(id)
  return true
}

export const listStoreLayer = Layer.effect(ListStore, Effect.map(Database, make))
