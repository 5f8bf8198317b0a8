import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore, type TimeReminder } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import {
  list,
  newAccount,
  newList,
  newThings,
  noon,
  place,
  placeTrigger,
  reminder,
  thing,
  timeTrigger
} from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { changesOf, makeCall, named, withCall, written } from "./Operations.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

/** An account with two lists, an original with a copy in the other list, reminders, and an unrelated plain thing. */
const given = Effect.gen(function* () {
  const account = yield* newAccount()
  const owner = account.id
  const [lists, things] = [yield* ListStore, yield* ThingStore]
  const [reminders, places, accounts] = [yield* ReminderStore, yield* PlaceStore, yield* AccountStore]
  const [home, shop] = [yield* newList(owner), yield* newList(owner)]
  const saved = place(owner)
  yield* places.put(saved)
  const [a, b] = yield* newThings(owner, home.id, [{ hasClones: true }, { listRef: shop.id }])
  const [copy] = yield* newThings(owner, shop.id, [{ cloneOf: a!.id }])
  const [plain] = yield* newThings(owner, (yield* newList(owner)).id, [{}])
  const timed: TimeReminder = { ...reminder(a!), trigger: timeTrigger(noon) }
  const placed = reminder(b!, { trigger: placeTrigger(saved.id) })
  yield* reminders.put(owner, [timed, placed])
  const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
  return {
    ...{ account, owner, lists, things, reminders, places, accounts, home, shop, saved },
    ...{ a: a!, b: b!, copy: copy!, plain: plain!, timed, placed, fields }
  }
})

type Given = Effect.Success<typeof given>

interface Write {
  readonly run: (given: Given) => Effect.Effect<unknown, unknown>
  /** The entities that the write's operation names, as `named` does. */
  readonly entities: (given: Given) => ReadonlyArray<string>
  /** Entities that only the feed of changes contains. */
  readonly moves?: (given: Given) => ReadonlyArray<string>
  /** Whether the write is a transaction of its own and does nothing inside another one. */
  readonly isAlone?: boolean
}

const changed = (entities: Write["entities"], run: Write["run"], moves?: Write["moves"]): Write => ({
  run,
  entities,
  ...(moves && { moves })
})

const added = { list: list("" as Given["owner"]), thing: thing("" as Given["owner"], "" as Given["home"]["id"]) }

/** Every method that writes entities. */
const writes = {
  things: {
    append: changed(
      ({ fields }) => [`created thing ${fields.id}`],
      ({ fields, things }) => things.append(fields),
      ({ home }) => [`list ${home.id}`]
    ),
    insert: changed(
      () => [`created thing ${added.thing.id}`],
      ({ home, owner, things }) => things.insert(owner, [{ ...added.thing, owner, listId: home.id }])
    ),
    put: changed(
      ({ a }) => [`updated thing ${a.id}`],
      ({ a, owner, things }) => things.put(owner, [{ ...a, text: "Other" }])
    ),
    revise: {
      ...changed(
        ({ plain }) => [`updated thing ${plain.id}`],
        ({ owner, plain, things }) =>
          things.revise(owner, plain.id, (found) => Effect.succeed({ ...found.thing, completed: true })),
        ({ plain }) => [`list ${plain.listId}`]
      ),
      isAlone: true
    },
    reviseIfUnchanged: {
      ...changed(
        ({ b, placed }) => [`updated thing ${b.id}`, `deleted reminder ${placed.id}`],
        ({ b, owner, placed, things }) =>
          things.reviseIfUnchanged(
            owner,
            { thing: b, reminder: placed },
            { thing: { ...b, completed: true }, reminder: null }
          ),
        ({ home }) => [`list ${home.id}`]
      ),
      isAlone: true
    },
    remove: changed(
      ({ b, placed }) => [`deleted thing ${b.id}`, `deleted reminder ${placed.id}`],
      ({ b, owner, things }) => things.remove(owner, [b.id])
    ),
    openGaps: changed(
      () => [],
      ({ a, home, owner, things }) => things.openGaps(owner, home.id, [a.position]),
      ({ b }) => [`thing ${b.id}`]
    ),
    closeGaps: changed(
      () => [],
      ({ a, home, owner, things }) => things.closeGaps(owner, home.id, [a.position]),
      ({ b }) => [`thing ${b.id}`]
    ),
    clearListRef: changed(
      ({ b }) => [`updated thing ${b.id}`],
      ({ owner, shop, things }) => things.clearListRef(owner, shop.id, noon)
    )
  },
  lists: {
    insert: changed(
      () => [`created list ${added.list.id}`],
      ({ lists, owner }) => lists.insert({ ...added.list, owner })
    ),
    put: changed(
      ({ home }) => [`updated list ${home.id}`],
      ({ home, lists }) => lists.put({ ...home, title: "Other" })
    ),
    touch: changed(
      () => [],
      ({ home, lists, owner }) => lists.touch(owner, [home.id], noon),
      ({ home }) => [`list ${home.id}`]
    ),
    remove: changed(
      ({ copy, shop }) => [`deleted list ${shop.id}`, `deleted thing ${copy.id}`],
      ({ b, lists, owner, shop, things }) =>
        Effect.andThen(things.put(owner, [{ ...b, listRef: null }]), lists.remove(owner, shop.id))
    )
  },
  reminders: {
    put: changed(
      ({ timed }) => [`updated reminder ${timed.id}`],
      ({ owner, reminders, timed }) => reminders.put(owner, [timed])
    ),
    putTimes: changed(
      ({ timed }) => [`updated reminder ${timed.id}`],
      ({ owner, reminders, timed }) => reminders.putTimes(owner, [timed])
    ),
    remove: changed(
      ({ timed }) => [`deleted reminder ${timed.id}`],
      ({ a, owner, reminders }) => reminders.remove(owner, [a.id])
    ),
    reattach: changed(
      ({ timed }) => [`updated reminder ${timed.id}`],
      ({ a, copy, owner, reminders }) => reminders.reattach(owner, new Map([[a.id, copy.id]]))
    ),
    removeOfPlace: changed(
      ({ placed }) => [`deleted reminder ${placed.id}`],
      ({ owner, reminders, saved }) => reminders.removeOfPlace(owner, saved.id)
    )
  },
  places: {
    put: changed(
      ({ saved }) => [`updated place ${saved.id}`],
      ({ places, saved }) => places.put(saved)
    ),
    remove: changed(
      ({ placed, saved }) => [`deleted place ${saved.id}`, `deleted reminder ${placed.id}`],
      ({ owner, places, saved }) => places.remove(owner, saved.id)
    )
  },
  accounts: {
    put: changed(
      ({ owner }) => [`updated account ${owner}`],
      ({ account, accounts }) => accounts.put({ ...account, name: "Ann" })
    )
  }
} as const satisfies Readonly<Record<string, Readonly<Record<string, Write>>>>

/** Methods that read, or write something that is not an entity: an account as a whole, its email and its secrets. */
const others: Readonly<Record<keyof typeof writes, ReadonlyArray<string>>> = {
  things: [
    ...[
      "get",
      "withReminder",
      "getMany",
      "ofList",
      "listWithThings",
      "ofListAfter",
      "openCounts",
      "page",
      "search",
      "tagCounts"
    ],
    ...["ends", "lastAt", "clonesOf", "duplicates", "referringTo", "byIdPart", "recentTexts", "outline"]
  ],
  lists: ["get", "getMany", "byDay", "byTitles", "titles", "page", "all", "search"],
  reminders: [
    ...["findByThing", "ofThings", "has", "upcoming", "overdue", "between", "repeating", "atPlaces", "all", "after"]
  ],
  places: ["get", "getMany", "byName", "all", "count"],
  accounts: [
    "get",
    "byEmail",
    "all",
    "isEmpty",
    "only",
    "insert",
    "remove",
    "secrets",
    "putSecrets",
    "byFeedToken",
    "byPasswordLink"
  ]
}

/** Every writing method of a store is recorded in the history, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>, { hasSingleStatements = true } = {}): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: every write`, (it) => {
    it.effect("each method of the stores is classified here as a write or not", () =>
      Effect.gen(function* () {
        const stores = yield* given
        for (const store of Object.keys(writes) as Array<keyof typeof writes>)
          expect(Object.keys(stores[store]).toSorted()).toStrictEqual(
            [...Object.keys(writes[store]), ...others[store]].toSorted()
          )
      })
    )

    it.effect("a write that moves only `updated` changes no entity, but is in the feed", () =>
      Effect.gen(function* () {
        const { a, b, home, lists, owner, things } = yield* given
        const id = yield* written(owner, (updated) =>
          Effect.andThen(
            things.put(owner, [
              { ...a, updated },
              { ...b, note: "n", updated }
            ]),
            lists.put({ ...home, updated })
          )
        )
        const history = yield* HistoryStore
        const counts = { lists: 0, things: 1, reminders: 0, places: 0 }
        expect((yield* history.get(owner, id!))?.counts).toStrictEqual(counts)
        expect((yield* changesOf(owner, id))!.items.map(named)).toStrictEqual([`updated thing ${b.id}`])
        const [following] = yield* history.following(owner, addMillis(writeTimestampOf(id!)!, -1), 0, 100)
        const moved = [a, b, home].map((each) => each.id)
        expect(following!.keys.map((key) => key.id).toSorted()).toStrictEqual(moved.toSorted())
      })
    )

    for (const [store, methods] of Object.entries(writes))
      for (const [method, write] of Object.entries<Write>(methods))
        it.effect.skipIf(!hasSingleStatements && method === "reviseIfUnchanged")(
          `${store}.${method} records an operation that names the changed entities`,
          () =>
            Effect.gen(function* () {
              const all = yield* given
              const { owner } = all
              const call = makeCall()
              const id =
                write.isAlone === true
                  ? yield* Effect.map(write.run(all).pipe(withCall(call)), () => call.recorded)
                  : yield* written(owner, () => write.run(all))
              const { items } = (yield* changesOf(owner, id))!
              const expected = write.entities(all)
              expect(items.map(named)).toEqual(expect.arrayContaining([...expected]))
              for (const each of items) expect(each.before === undefined).toBe(each.change === "created")
              const [following] = yield* Effect.flatMap(HistoryStore, (history) =>
                history.following(owner, addMillis(writeTimestampOf(id!)!, -1), 0, 100)
              )
              const keys = (following?.keys ?? []).map((key) => `${key.type} ${key.id}`)
              expect(keys).toEqual(expect.arrayContaining([...(write.moves?.(all) ?? [])]))
              expect(keys).toHaveLength(items.length + (write.moves?.(all) ?? []).length)
            })
        )
  })
}
