import { Effect, Layer } from "effect"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import {
  type DuplicateKeys,
  mostUsedFirst,
  type TagCount,
  type ThingFilter,
  type ThingState,
  type ThingsOutline,
  ThingStore
} from "@lists-and-things/domain/ports/ThingStore"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { tagKey } from "@lists-and-things/domain/text/TextFold"
import { nothing } from "@lists-and-things/domain/model/Size"
import { type Limits, SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { hasPart } from "@lists-and-things/domain/targets/ShortId"
import { countBefore, sequencesBySortTime } from "@lists-and-things/domain/things/PositionGaps"
import {
  byPosition,
  hasCheckBox,
  hasFamily,
  isOpen,
  originalOf,
  type Position,
  type Thing
} from "@lists-and-things/domain/model/Thing"
import { byId, type ListId, newestFirst } from "@lists-and-things/domain/model/Ids"
import { ranked } from "@lists-and-things/domain/search/Ranking"
import { Database } from "../Database.ts"
import { dropThing, releaseCopies, idOf, type OwnerData, putThing } from "../OwnerData.ts"
import { byCreated, emptyPage, pageOf } from "../Order.ts"
import { reviseIfUnchanged } from "./ConditionalRevision.ts"
import { append, isAlone, revise, type WriteContext } from "./SingleWrites.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const make = (database: Database["Service"], limits: Limits): ThingStore["Service"] => {
  const store: ThingStore["Service"] = {
    get: (owner, id) => database.read(owner, (data) => data.things.get(id)),
    withReminder: (owner, id) =>
      database.read(owner, (data) => {
        const thing = data.things.get(id)
        return thing && { thing, reminder: data.reminders.get(originalOf(thing)) }
      }),
    getMany: (owner, ids) => database.read(owner, (data) => existing(data, ids).toSorted(byId), []),
    outline: (owner, ids, names) =>
      database.read(owner, (data) => outlineOf(existing(data, ids), ids, names), outlineOf([], ids, names)),
    ofList: (owner, listId) => database.read(owner, (data) => ofList(data, listId).toSorted(byPosition), []),
    listWithThings: (owner, ref, limit) =>
      database.read(owner, (data) => {
        const list = data.lists.get(idOf(data, ref) ?? "")
        if (list === undefined) return undefined
        const { bytes, things } = data.sizes.get(list.id) ?? nothing
        if (limit !== undefined && (bytes > limit.bytes || things > limit.things))
          return { list, isWhole: false, things: [], reminders: [] }
        const found = ofList(data, list.id).toSorted(byPosition)
        const reminders = found.flatMap((thing) => data.reminders.get(originalOf(thing)) ?? [])
        return { list, isWhole: true, things: found, reminders }
      }),
    ofListAfter: (owner, listId, last, limit) =>
      database.read(
        owner,
        (data) =>
          ofList(data, listId)
            .filter((thing) => last === undefined || byPosition(thing, last) > 0)
            .toSorted(byPosition)
            .slice(0, limit),
        []
      ),
    page: (owner, filter, page, size) =>
      database.read(
        owner,
        (data) => pageOf([...data.things.values().filter(matching(filter))].sort(newestFirst(filter.sort)), page, size),
        emptyPage
      ),
    search: (owner, query, limit, state) =>
      Effect.flatMap(
        database.read(owner, (data) => [...data.things.values().filter(isIn(state))], []),
        (things) => Effect.map(ranked(things, formsOf, query), (found) => pageOf(found, 0, limit))
      ),
    byIdPart: (owner, part, limit) =>
      database.read(
        owner,
        (data) => [...data.things.values().filter(({ id }) => hasPart(id, part))].sort(byId).slice(0, limit),
        []
      ),
    recentTexts: (owner, state, limit) =>
      database.read(
        owner,
        (data) =>
          [...data.things.values()]
            .sort(newestFirst("updated"))
            .slice(0, limit)
            .filter(isIn(state))
            .map(({ code, id, text }) => ({ id, text: firstCharacters(text, 100), code })),
        []
      ),
    tagCounts: (owner) => database.read(owner, (data) => tagCounts(data.things.values()), []),
    openCounts: (owner, lists, max) =>
      database.read(
        owner,
        (data) => {
          const held = new Map(lists.map((id) => [id, { things: 0, open: 0 }]))
          for (const thing of data.things.values()) {
            const count = held.get(thing.listId)
            if (count === undefined) continue
            count.things += 1
            if (hasCheckBox(thing) && isOpen(thing)) count.open += 1
          }
          return new Map([...held].flatMap(([id, { open, things }]) => (things > max ? [] : [[id, open] as const])))
        },
        new Map()
      ),
    ends: (owner, lists) =>
      database.read(
        owner,
        (data) =>
          new Map(
            lists.flatMap((list) => {
              const listId = idOf(data, list) as ListId | undefined
              const end = listId && lastOf(ofList(data, listId))
              return end === undefined ? [] : [[listId!, end]]
            })
          ),
        new Map()
      ),
    lastAt: (owner, sortTimes) =>
      database.read(
        owner,
        (data) => new Map([...sortTimes].map(([listId, own]) => [listId, lastAt(ofList(data, listId), new Set(own))])),
        new Map()
      ),
    openGaps: (owner, listId, positions) => database.write(owner, shiftThings(listId, positions, 1)),
    closeGaps: (owner, listId, positions) => database.write(owner, shiftThings(listId, positions, -1)),
    referringTo: (owner, lists) => {
      const wanted = new Set<string | null>(lists)
      return database.read(
        owner,
        (data) => [...data.things.values().filter(({ listRef }) => listRef !== null && wanted.has(listRef))].sort(byId),
        []
      )
    },
    clonesOf: (owner, originals) => {
      const wanted = new Set<string | null>(originals)
      return database.read(
        owner,
        (data) =>
          [...data.things.values().filter(({ cloneOf }) => cloneOf !== null && wanted.has(cloneOf))].sort(byCreated),
        []
      )
    },
    duplicates: (owner, keys) =>
      database.read(
        owner,
        (data) => new Map([...keys].map(([listId, own]) => [listId, duplicates(ofList(data, listId), own)])),
        new Map()
      ),
    append: (fields, keyed) => append(context, fields, keyed),
    revise: (...revision) => revise(context, ...revision),
    reviseIfUnchanged: (...revision) =>
      Effect.flatMap(isAlone(database), (alone) =>
        alone ? reviseIfUnchanged(context, ...revision) : Effect.undefined
      ),
    insert: (owner, things) =>
      database.write(owner, (data) => {
        for (const thing of things) {
          if (!data.lists.has(thing.listId)) throw new Error(`insert into a list that is not there: ${thing.listId}`)
          putThing(data, thing)
        }
      }),
    put: (owner, things) =>
      database.write(owner, (data) => {
        for (const thing of things) if (data.things.has(thing.id)) putThing(data, thing)
      }),
    remove: (owner, ids) =>
      database.write(
        owner,
        (data) => {
          const gone = existing(data, ids)
          for (const { id } of gone) dropThing(data, id)
          releaseCopies(data, gone)
          return gone.length
        },
        0
      ),
    clearListRef: (owner, listId, updated) =>
      database.write(
        owner,
        (data) => {
          const linked = [...data.things.values().filter((thing) => thing.listRef === listId)]
          for (const thing of linked) data.things.set(thing.id, { ...thing, listRef: null, updated })
          return [...new Set(linked.map((thing) => thing.listId))]
        },
        []
      )
  }
  const context: WriteContext = { database, store, limits }
  return store
}

const isIn =
  (state: ThingState | undefined) =>
  (thing: Thing): boolean =>
    state === undefined || isOpen(thing) === (state === "open")

const existing = (data: OwnerData, ids: ReadonlyArray<string>): ReadonlyArray<Thing> =>
  [...new Set(ids)].map((id) => data.things.get(id)).filter((thing) => thing !== undefined)

const outlineOf = (found: ReadonlyArray<Thing>, ids: ReadonlyArray<string>, names: number): ThingsOutline => {
  const existing = new Set<string>(found.map(({ id }) => id))
  return {
    count: found.length,
    lists: [...new Set(found.map(({ listId }) => listId))],
    hasFamilies: found.some(hasFamily),
    first: found.slice(0, names).map(({ text, url }) => ({ text, url })),
    missing: [...new Set(ids)].filter((id) => !existing.has(id))
  }
}

const ofList = (data: OwnerData, listId: string): ReadonlyArray<Thing> =>
  [...data.things.values()].filter((thing) => thing.listId === listId)

/** Shifts the sequence of each thing of a list, up (1) or down (-1), by the number of `positions` before it. */
const shiftThings =
  (listId: string, positions: ReadonlyArray<Position>, by: 1 | -1) =>
  (data: OwnerData): void => {
    const sequences = sequencesBySortTime(positions)
    for (const thing of ofList(data, listId)) {
      const { sortTime, sequence } = thing.position
      const before = by * countBefore(sequences.get(sortTime), sequence)
      if (before !== 0) data.things.adjust(thing.id, { ...thing, position: { sortTime, sequence: sequence + before } })
    }
  }

const matching = (filter: ThingFilter) => {
  const tag = filter.tag === undefined ? undefined : tagKey(filter.tag)
  return (thing: Thing): boolean =>
    (filter.listId === undefined || thing.listId === filter.listId) &&
    (filter.completed === undefined || thing.completed === filter.completed) &&
    (filter.type === undefined || thing.type === filter.type) &&
    (filter.since === undefined || thing[filter.sort] > filter.since) &&
    (tag === undefined || thing.tags.some((name) => tagKey(name) === tag))
}

const parsed = new WeakMap<Thing, ReadonlyArray<string>>()

/** Cached per thing, since a search compares every thing. */
const formsOf = (thing: Thing): ReadonlyArray<string> => {
  let forms = parsed.get(thing)
  if (forms === undefined) {
    forms = searchForms(thing.text, thing.code)
    parsed.set(thing, forms)
  }
  return forms
}

const tagCounts = (things: Iterable<Thing>): ReadonlyArray<TagCount> => {
  const counts = new Map<string, { latest: Thing; name: string; count: number }>()
  const newest = newestFirst("updated")
  for (const thing of things)
    for (const name of thing.tags) {
      const known = counts.get(tagKey(name))
      if (known === undefined) counts.set(tagKey(name), { latest: thing, name, count: 1 })
      else {
        known.count++
        if (newest(thing, known.latest) < 0) Object.assign(known, { latest: thing, name })
      }
    }
  return [...counts.values()].map(({ name, count }) => ({ name, count })).sort(mostUsedFirst)
}

const lastOf = (things: ReadonlyArray<Thing>): Position | undefined => things.toSorted(byPosition).at(-1)?.position

const lastAt = (things: ReadonlyArray<Thing>, sortTimes: ReadonlySet<EpochMillis>): ReadonlyArray<Position> => {
  const bySortTime = Map.groupBy(things, ({ position }) => position.sortTime)
  return [...sortTimes].flatMap((sortTime) => lastOf(bySortTime.get(sortTime) ?? []) ?? [])
}

const duplicates = (things: ReadonlyArray<Thing>, keys: DuplicateKeys) => {
  const urls = new Set(things.map((thing) => thing.url))
  const texts = new Set(things.map((thing) => thing.text.trim()))
  return {
    urls: new Set(keys.urls.filter((url) => urls.has(url))),
    texts: new Set(keys.texts.filter((text) => texts.has(text)))
  }
}

export const thingStoreLayer = Layer.effect(
  ThingStore,
  Effect.gen(function* () {
    return make(yield* Database, yield* SizeLimits)
  })
)
