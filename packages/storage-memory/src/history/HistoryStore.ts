import {
  type Entity,
  type EntityKey,
  settingsOf,
  writeTimestampOf,
  keyText
} from "@lists-and-things/domain/model/Operation"
import {
  type Following,
  type HistoryPoint,
  HistoryStore,
  type LaterOperation,
  type OperationFilter,
  type StatePart
} from "@lists-and-things/domain/ports/HistoryStore"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import { Effect, Layer } from "effect"
import { Database } from "../Database.ts"
import { compareText } from "@lists-and-things/domain/text/TextFold"
import { emptyPage, pageOf } from "../Order.ts"
import type { OwnerData, Recorded } from "../OwnerData.ts"
import { epoch, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const make = (database: Database["Service"]): HistoryStore["Service"] => {
  const owners = database.readAll((all) => all.map((data) => data.account.id))

  /** Runs a pruning step on one account after the other, until `max` rows are removed. */
  const onEach = Effect.fnUntraced(function* (max: number, step: (data: OwnerData, max: number) => number) {
    let removed = 0
    for (const owner of yield* owners)
      if (removed < max) removed += yield* database.write(owner, (data) => step(data, max - removed), 0)
    return removed
  })

  return {
    page: (owner, filter, page, size) =>
      database.read(
        owner,
        (data) =>
          pageOf(
            oldestFirst(data)
              .filter(matching(filter))
              .map(({ operation }) => operation)
              .toReversed(),
            page,
            size
          ),
        emptyPage
      ),
    get: (owner, id) =>
      database.read(owner, (data) => {
        const operation = recordedAt(data, writeTimestampOf(id))?.operation
        return operation?.id === id ? operation : undefined
      }),
    entities: (owner, at, limit) =>
      database.read(owner, (data) => {
        const recorded = recordedAt(data, at)
        return recorded?.hasImages === true ? pageOf(recorded.entities, 0, limit) : undefined
      }),
    onlyCreated: (owner, at) =>
      database.read(
        owner,
        (data) => {
          const recorded = recordedAt(data, at)
          return recorded?.hasImages === true && recorded.entities.every(({ change }) => change === "created")
        },
        false
      ),
    after: (owner, at, keys) => database.read(owner, (data) => entitiesAfter(data, at, keys), []),
    later: (owner, at, keys) =>
      database.read(owner, (data) => followedBy(data, at).flatMap(changing(new Set(keys.map(keyText)))), []),
    changesOf: (owner, operations) =>
      database.read(
        owner,
        (data) =>
          new Map(
            operations.flatMap(({ at, keys }) => {
              const recorded = recordedAt(data, at)
              if (recorded?.hasImages !== true) return []
              const asked = new Set(keys.map(keyText))
              return [[at, recorded.entities.filter((each) => asked.has(keyText(each)))] as const]
            })
          ),
        new Map()
      ),
    putUndoneBy: (owner, at, undoneBy) =>
      database.write(owner, (data) => {
        const recorded = recordedAt(data, at)
        if (recorded === undefined) return
        const operation = { ...recorded.operation, undoneBy }
        data.operations.set(String(at), { ...recorded, operation })
      }),
    head: (owner) => database.read(owner, (data) => pointAt(data, data.lastWrite), { at: epoch, operation: undefined }),
    covers: (owner, point) =>
      database.read(
        owner,
        (data) => data.historyFrom <= point.at && pointAt(data, point.at).operation === point.operation,
        false
      ),
    following: (owner, at, skip, limit) =>
      database.read(owner, (data) => following(followedBy(data, at), skip, limit), []),
    watch: (owners, keys) =>
      database.readAll((all) => {
        const wanted = new Set(owners)
        const found = all.filter((data) => wanted.has(data.account.id))
        const isValid = (key: string) => all.some((data) => data.keys.get(key)?.revoked === null)
        return {
          lastWrites: new Map(found.map((data) => [data.account.id, data.lastWrite])),
          revoked: new Set(keys.filter((key) => !isValid(key)))
        }
      }),
    current: (owner, keys) => database.read(owner, (data) => entitiesNow(data, keys), []),
    state: (owner, part, after, limit) =>
      database.read(
        owner,
        (data) =>
          entitiesOf(data, part)
            .filter(({ value }) => after === undefined || value.id > after)
            .toSorted((a, b) => compareText(a.value.id, b.value.id))
            .slice(0, limit),
        []
      ),
    settingsChanged: (owner) => database.read(owner, (data) => data.settingsChanged, epoch),
    isComplete: Effect.succeed(true),
    prune: (notAfter, max) => onEach(max, (data, max) => pruneOperations(data, notAfter, max)),
    pruneImages: (bytes, max) => onEach(max, (data, max) => pruneImages(data, bytes, max)),
    erase: (owner, which) =>
      database.write(owner, (data) => dropImages(data, oldestFirst(data).filter(erased(which))), 0)
  }
}

const isThere = (entity: Entity | undefined): entity is Entity => entity !== undefined

const recordedAt = (data: OwnerData, at: EpochMillis | undefined): Recorded | undefined =>
  data.operations.get(String(at))

/** Operations in order of their write timestamps: they are added in this order, and replacing one keeps its place. */
const oldestFirst = (data: OwnerData): ReadonlyArray<Recorded> => [...data.operations.values()]

const followedBy = (data: OwnerData, at: EpochMillis): ReadonlyArray<Recorded> =>
  oldestFirst(data).filter(({ operation }) => operation.at > at)

const matching =
  ({ before, byId, listId, originalId, since, thingId }: OperationFilter) =>
  ({ keys, entities, operation, remindedThings }: Recorded): boolean =>
    (byId === undefined || operation.by.id === byId) &&
    (since === undefined || operation.at > since) &&
    (before === undefined || operation.at < before) &&
    (listId === undefined || keys.some(({ id, type }) => type === "list" && id === listId)) &&
    (thingId === undefined ||
      remindedThings.has(thingId) ||
      (originalId !== undefined && remindedThings.has(originalId)) ||
      entities.some(({ id, type }) => type === "thing" && id === thingId))

const changing =
  (wanted: ReadonlySet<string>) =>
  ({ entities, operation }: Recorded): ReadonlyArray<LaterOperation> => {
    const keys = entities.filter((key) => wanted.has(keyText(key))).map(({ id, type }) => ({ type, id }))
    return keys.length === 0 ? [] : [{ operation, keys }]
  }

/** The entities as they were after `at`: as the next operation on each found it, or else as they are now. */
const entitiesAfter = (data: OwnerData, at: EpochMillis, keys: ReadonlyArray<EntityKey>): ReadonlyArray<Entity> => {
  const wanted = new Set(keys.map(keyText))
  const next = new Map<string, Entity | undefined>()
  for (const { entities } of followedBy(data, at))
    for (const change of entities) {
      const key = keyText(change)
      if (wanted.has(key) && !next.has(key)) next.set(key, change.before)
    }
  const now = entitiesNow(
    data,
    keys.filter((key) => !next.has(keyText(key)))
  )
  for (const entity of now) next.set(keyText({ type: entity.type, id: entity.value.id }), entity)
  return keys.map((key) => next.get(keyText(key))).filter(isThere)
}

const entitiesNow = (data: OwnerData, keys: ReadonlyArray<EntityKey>): ReadonlyArray<Entity> => {
  const hasReminders = keys.some(({ type }) => type === "reminder")
  const reminders = new Map(
    (hasReminders ? [...data.reminders.values()] : []).map((reminder) => [String(reminder.id), reminder])
  )
  return keys.map((key) => entityNow(data, reminders, key)).filter(isThere)
}

const entityNow = (
  data: OwnerData,
  reminders: ReadonlyMap<string, Reminder>,
  { id, type }: EntityKey
): Entity | undefined => {
  switch (type) {
    case "account":
      return id === data.account.id ? { type, value: settingsOf(data.account) } : undefined
    case "place":
      return entity(type, data.places.get(id))
    case "list":
      return entity(type, data.lists.get(id))
    case "thing":
      return entity(type, data.things.get(id))
    case "reminder":
      return entity(type, reminders.get(id))
  }
}

const entity = <T extends Entity["type"]>(
  type: T,
  value: Extract<Entity, { type: T }>["value"] | undefined
): Entity | undefined => (value === undefined ? undefined : ({ type, value } as Entity))

const entitiesOf = (data: OwnerData, part: StatePart): ReadonlyArray<Entity> => {
  const things = (copies: boolean) => data.things.values().filter(({ cloneOf }) => (cloneOf !== null) === copies)
  switch (part) {
    case "account":
      return [{ type: "account", value: settingsOf(data.account) }]
    case "places":
      return Array.from(data.places.values(), (value) => ({ type: "place", value }))
    case "lists":
      return Array.from(data.lists.values(), (value) => ({ type: "list", value }))
    case "originals":
      return Array.from(things(false), (value) => ({ type: "thing", value }))
    case "copies":
      return Array.from(things(true), (value) => ({ type: "thing", value }))
    case "reminders":
      return Array.from(data.reminders.values(), (value) => ({ type: "reminder", value }))
  }
}

const pointAt = (data: OwnerData, at: EpochMillis): HistoryPoint => ({
  at,
  operation: oldestFirst(data).findLast(({ operation }) => operation.at <= at)?.operation.id
})

const following = (operations: ReadonlyArray<Recorded>, skip: number, limit: number): ReadonlyArray<Following> => {
  const taken: Array<Following> = []
  let room = limit
  for (const { keys, operation } of operations) {
    if (room === 0) break
    const from = taken.length === 0 ? skip : 0
    const some = keys.slice(from, from + room)
    taken.push({ id: operation.id, at: operation.at, keys: some, rest: Math.max(0, keys.length - from - some.length) })
    room -= some.length
  }
  return taken
}

const pruneOperations = (data: OwnerData, notAfter: EpochMillis, max: number): number => {
  const old = oldestFirst(data)
    .slice(0, -1)
    .filter(({ operation }) => operation.at <= notAfter)
    .slice(0, max)
  for (const { operation } of old) {
    data.operations.delete(String(operation.at))
    data.historyFrom = operation.at
  }
  return old.length
}

const pruneImages = (data: OwnerData, bytes: number, max: number): number => {
  const imaged = oldestFirst(data).filter((recorded) => recorded.bytes > 0)
  let excess = imaged.reduce((sum, recorded) => sum + recorded.bytes, -bytes)
  const dropped: Array<Recorded> = []
  for (const recorded of imaged) {
    if (excess <= 0 || dropped.length === max) break
    dropped.push(recorded)
    excess -= recorded.bytes
  }
  return dropImages(data, dropped)
}

const dropImages = (data: OwnerData, recorded: ReadonlyArray<Recorded>): number => {
  for (const each of recorded) {
    const entities = each.entities.map((entity) => ({ ...entity, before: undefined }))
    data.operations.set(String(each.operation.at), { ...each, entities, hasImages: false, bytes: 0 })
  }
  return recorded.length
}

const erased =
  (which: Parameters<HistoryStore["Service"]["erase"]>[1]) =>
  ({ hasImages, operation }: Recorded): boolean =>
    hasImages && ("operation" in which ? operation.id === which.operation : operation.at < which.before)

export const historyStoreLayer = Layer.effect(HistoryStore, Effect.map(Database, make))
