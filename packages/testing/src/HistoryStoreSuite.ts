import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { CurrentOperation, describe as summarize } from "@lists-and-things/domain/model/CurrentOperation"
import { Conflict } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { OperationId, settingsOf, writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import {
  freshId,
  hostileTexts,
  list,
  newList,
  newThings,
  noon,
  place,
  placeTrigger,
  reminder,
  thing,
  timeTrigger
} from "./Fixtures.ts"
import { changed, changesOf, homeOfTwo, makeCall, withCall, written } from "./Operations.ts"
import { epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

export type Ports =
  | KeyStore
  | Storage
  | AccountStore
  | ListStore
  | ThingStore
  | ReminderStore
  | PlaceStore
  | IdempotencyStore
  | HistoryStore

const operationById = (owner: AccountId, id: string | undefined) =>
  Effect.flatMap(HistoryStore, (history) => history.get(owner, id ?? ""))

/** What the operations of `HistoryStore` record, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: recording operations`, (it) => {
    it.effect("a transaction that changes something is one operation, with its writeTimestamp", () =>
      Effect.gen(function* () {
        const { owner, things, lists, milk, home } = yield* homeOfTwo
        let at: EpochMillis = epoch
        const id = yield* written(
          owner,
          (writeTimestamp) =>
            Effect.gen(function* () {
              at = writeTimestamp
              yield* things.put(owner, [{ ...milk, text: "Oat milk", updated: writeTimestamp }])
              yield* lists.touch(owner, [home.id], writeTimestamp)
              yield* summarize("Renamed “Milk”")
            }),
          { name: "updateThing", surface: "mcp", by: { type: "app", id: "g1", name: "Claude" }, requestId: "r-1" }
        )
        expect(writeTimestampOf(id!)).toBe(at)
        expect(yield* operationById(owner, id)).toStrictEqual({
          id,
          owner,
          at,
          name: "updateThing",
          surface: "mcp",
          by: { type: "app", id: "g1", name: "Claude" },
          requestId: "r-1",
          summary: "Renamed “Milk”",
          counts: { lists: 0, things: 1, reminders: 0, places: 0 },
          undoes: null,
          undoneBy: null
        })
        expect(yield* changesOf(owner, id)).toStrictEqual({
          items: [{ type: "thing", id: milk.id, change: "updated", before: { type: "thing", value: milk } }],
          hasMore: false
        })
      })
    )

    it.effect("a transaction that changes nothing or fails is no operation", () =>
      Effect.gen(function* () {
        const { owner, things, lists, reminders, places, accounts, account, milk, history } = yield* homeOfTwo
        const changesNothing = Effect.all([
          things.put(owner, [thing(owner, milk.listId)]),
          things.remove(owner, [freshId()]),
          things.clearListRef(owner, milk.listId, noon),
          things.openGaps(owner, milk.listId, []),
          lists.put(list(owner)),
          lists.touch(owner, [], noon),
          lists.remove(owner, freshId()),
          reminders.remove(owner, [milk.id]),
          reminders.putTimes(owner, []),
          places.remove(owner, freshId()),
          accounts.put({ ...account, email: `new-${account.email}` })
        ])
        expect(yield* written(owner, () => changesNothing)).toBeUndefined()
        const call = makeCall()
        const failing = Effect.andThen(things.remove(owner, [milk.id]), new Conflict({ message: "no" }))
        const storage = yield* Storage
        expect(Exit.isFailure(yield* Effect.exit(storage.transact(owner, () => failing).pipe(withCall(call))))).toBe(
          true
        )
        expect(call.recorded).toBeUndefined()
        expect((yield* history.page(owner, {}, 0, 50)).items).toStrictEqual([])
        expect((yield* history.head(owner)).operation).toBeUndefined()
      })
    )

    it.effect("a write outside of a call is attributed to the operator", () =>
      Effect.gen(function* () {
        const { owner, storage, things, milk, history } = yield* homeOfTwo
        yield* storage.transact(owner, () => things.remove(owner, [milk.id]))
        const { items } = yield* history.page(owner, {}, 0, 50)
        expect(items).toMatchObject([{ name: "write", surface: "cli", summary: "write", by: { type: "operator" } }])
      })
    )

    it.effect("an undo names the operation that it undoes", () =>
      Effect.gen(function* () {
        const { owner, things, milk } = yield* homeOfTwo
        const first = yield* written(owner, () => things.remove(owner, [milk.id]))
        const undo = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* things.insert(owner, [milk])
            const call = yield* CurrentOperation
            call!.undoes = OperationId.make(first!)
          })
        )
        expect(yield* operationById(owner, undo)).toMatchObject({ undoes: first, undoneBy: null })
      })
    )

    it.effect("the summary of a transaction does not apply to the next one of the same call", () =>
      Effect.gen(function* () {
        const { owner, storage, things, milk, tea } = yield* homeOfTwo
        const call = makeCall()
        yield* storage
          .transact(owner, () => Effect.andThen(summarize("Deleted"), things.remove(owner, [milk.id])))
          .pipe(withCall(call))
        const first = call.recorded
        yield* storage.transact(owner, () => things.remove(owner, [tea.id])).pipe(withCall(call))
        expect((yield* operationById(owner, first))?.summary).toBe("Deleted")
        expect((yield* operationById(owner, call.recorded))?.summary).toBe(call.name)
      })
    )

    it.effect("nested transactions are one operation", () =>
      Effect.gen(function* () {
        const { owner, storage, things, milk, tea } = yield* homeOfTwo
        const outer = Effect.andThen(
          storage.transact(owner, () => things.remove(owner, [milk.id])),
          things.remove(owner, [tea.id])
        )
        expect(yield* changed(owner, () => outer)).toStrictEqual(
          [`deleted thing ${milk.id}`, `deleted thing ${tea.id}`].toSorted()
        )
      })
    )

    it.effect("an operation keeps every field of the entities that it changed or removed", () =>
      Effect.gen(function* () {
        const { owner, things, lists, reminders, places, accounts, account } = yield* homeOfTwo
        const texts = hostileTexts.map((text) => ({ text, note: text, tags: [text.slice(0, 20)], photos: ["a", "b"] }))
        const shop = yield* newList(owner, {
          title: hostileTexts[3]!,
          emoji: "🛒",
          day: "2026-11-21",
          sort: "modified"
        })
        const made = yield* newThings(owner, shop.id, [
          ...texts,
          { text: "all", completed: true, canceled: true, bold: true, italic: true, underline: true, header: true },
          { text: "more", subheader: true, quote: true, code: true, markup: "ts", favorited: true, tabs: 3 },
          { text: "linked", listRef: shop.id, url: "https://example.com/ä", type: "number", hasClones: true }
        ])
        const copy = thing(owner, shop.id, { cloneOf: made.at(-1)!.id })
        yield* things.insert(owner, [copy])
        const office = place(owner, { address: "Straße 1", latitude: -89.999_999_9, longitude: 179.123_456_789 })
        yield* places.put(office)
        const rule = { repeat: "weekly", every: 2, days: ["monday", "friday"], until: noon + 1 } as const
        const reminded = [
          reminder(made[0]!, { trigger: timeTrigger(noon, { rule, durationMinutes: 5, end: noon + 300_000 }) }),
          reminder(made[1]!, { trigger: timeTrigger(-1, { allDay: true }), alertMinutes: 5, color: "#336699" }),
          reminder(made[2]!, { trigger: placeTrigger(office.id, { on: "leave", radiusMeters: 12.5 }) })
        ]
        yield* reminders.put(owner, reminded)
        const id = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* accounts.put({ ...account, name: "Ann", timezone: "Europe/Berlin" })
            yield* reminders.remove(owner, [made[0]!.id, made[1]!.id])
            yield* things.remove(owner, [copy.id])
            yield* places.remove(owner, office.id)
            yield* lists.remove(owner, shop.id)
          })
        )
        const before = (yield* changesOf(owner, id))!.items.map((each) => each.before?.value)
        const byId = <A extends { readonly id: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
          all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(before).toStrictEqual([settingsOf(account), office, shop, ...byId([...made, copy]), ...byId(reminded)])
        expect((yield* operationById(owner, id))?.counts).toStrictEqual({
          lists: 1,
          things: made.length + 1,
          reminders: 3,
          places: 1
        })
      })
    )

    it.effect("an append is an operation of its own, or part of the outer one", () =>
      Effect.gen(function* () {
        const { owner, things, home, history } = yield* homeOfTwo
        const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
        const call = makeCall({ name: "createThing", requestId: "r-2" })
        const added = yield* Effect.andThen(summarize("Added “A thing”"), things.append(fields)).pipe(withCall(call))
        if (typeof added !== "object") return expect(added).toBe("a thing")
        const alone = yield* operationById(owner, call.recorded)
        expect(alone).toMatchObject({
          at: added.updated,
          name: "createThing",
          surface: "rest",
          by: call.by,
          requestId: "r-2",
          summary: "Added “A thing”",
          counts: { lists: 0, things: 1, reminders: 0, places: 0 }
        })
        expect((yield* changesOf(owner, call.recorded))?.items).toStrictEqual([
          { type: "thing", id: added.id, change: "created", before: undefined }
        ])
        const ids = [freshId(), freshId()]
        const names = yield* changed(owner, () =>
          Effect.forEach(ids, (id) => things.append({ ...fields, id: id as typeof fields.id }))
        )
        expect(names).toStrictEqual(ids.toSorted().map((id) => `created thing ${id}`))
        expect((yield* history.page(owner, { listId: home.id }, 0, 50)).items).toHaveLength(2)
      })
    )

    it.effect("an append to an unknown list is no operation", () =>
      Effect.gen(function* () {
        const { owner, things, home, history } = yield* homeOfTwo
        const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
        const call = makeCall()
        const unknown = freshId() as typeof home.id
        expect(yield* things.append({ ...fields, listId: unknown }).pipe(withCall(call))).toBeUndefined()
        expect(call.recorded).toBeUndefined()
        expect((yield* history.page(owner, {}, 0, 50)).items).toStrictEqual([])
      })
    )

    it.effect("a dry run shows the operation that it would record, and records nothing", () =>
      Effect.gen(function* () {
        const { owner, storage, things, milk, home, history } = yield* homeOfTwo
        const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
        let seen: unknown
        const call = makeCall({
          inspect: (operation) =>
            Effect.gen(function* () {
              const items = (yield* history.entities(owner, operation!.at, 500))?.items
              seen = { summary: operation?.summary, items, now: yield* things.get(owner, milk.id) }
            })
        })
        const dry = storage.transact(owner, () => Effect.andThen(summarize("Deleted"), things.remove(owner, [milk.id])))
        expect(yield* dry.pipe(withCall(call))).toBe(1)
        expect(seen).toStrictEqual({
          summary: "Deleted",
          items: [{ type: "thing", id: milk.id, change: "deleted", before: { type: "thing", value: milk } }],
          now: undefined
        })
        expect(call.recorded).toBeUndefined()
        const added: Array<unknown> = []
        const adding = makeCall({ inspect: (operation) => Effect.sync(() => added.push(operation?.counts.things)) })
        expect(yield* things.append(fields).pipe(withCall(adding))).toMatchObject({ id: fields.id })
        const idle = makeCall({ inspect: (operation) => Effect.sync(() => added.push(operation)) })
        yield* storage.transact(owner, () => Effect.void).pipe(withCall(idle))
        expect(added).toStrictEqual([1, undefined])
        expect(yield* things.ofList(owner, home.id)).toHaveLength(2)
        expect((yield* history.page(owner, {}, 0, 50)).items).toStrictEqual([])
        expect((yield* history.watch([owner], [])).lastWrites.get(owner)).toBe(0)
      })
    )

    it.effect("an idempotency record has the id of its operation", () =>
      Effect.gen(function* () {
        const { owner, things, milk } = yield* homeOfTwo
        const records = yield* IdempotencyStore
        const record = { key: "k", fingerprint: "0".repeat(64), answer: "{}", created: noon }
        const id = yield* written(owner, () =>
          Effect.andThen(things.remove(owner, [milk.id]), records.put(owner, record))
        )
        expect(yield* records.get(owner, "k", epoch)).toStrictEqual({ ...record, operationId: id })
        yield* written(owner, () => records.put(owner, { ...record, key: "idle" }))
        expect(yield* records.get(owner, "idle", epoch)).toStrictEqual({ ...record, key: "idle" })
      })
    )

    it.effect("settingsChanged is the time of the last change of settings or places", () =>
      Effect.gen(function* () {
        const { owner, places, accounts, account, milk, things, history } = yield* homeOfTwo
        const saved = place(owner)
        expect(yield* history.settingsChanged(owner)).toBe(0)
        for (const write of [
          accounts.put({ ...account, timezone: "Europe/Berlin" }),
          places.put(saved),
          places.remove(owner, saved.id)
        ]) {
          const id = yield* written(owner, () => write)
          expect(yield* history.settingsChanged(owner)).toBe(writeTimestampOf(id!))
        }
        const changedAt = yield* history.settingsChanged(owner)
        yield* written(owner, () => things.remove(owner, [milk.id]))
        expect(yield* history.settingsChanged(owner)).toBe(changedAt)
      })
    )

    it.effect("the history of an account is removed with it", () =>
      Effect.gen(function* () {
        const { owner, things, accounts, account, milk, history } = yield* homeOfTwo
        const id = yield* written(owner, () => things.remove(owner, [milk.id]))
        yield* accounts.remove(owner)
        yield* accounts.insert(account)
        expect(yield* history.get(owner, id!)).toBeUndefined()
        expect(yield* history.entities(owner, writeTimestampOf(id!)!, 10)).toBeUndefined()
      })
    )
  })
}
