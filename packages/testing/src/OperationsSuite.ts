import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { operationViewJson } from "@lists-and-things/domain/json/OperationJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { Places } from "@lists-and-things/domain/places/Places"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, bulkSet, listNamed, make, patch, remind, shown } from "./AsOwner.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { makeCall, withCall } from "./Operations.ts"

type UseCases = Accounts | BulkThings | Lists | Operations | Places | Ports | Reminders | Things | Undo

/** Runs an effect and returns the view of the operation that it recorded. */
const viewOf = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = makeCall(overrides)
  yield* effect.pipe(withCall(call))
  return operationViewJson(yield* (yield* Operations).view(call.recorded ?? ""))
})

const nothingCounted = { lists: 0, things: 0, reminders: 0, places: 0 }

const shownList = (id: string) => Effect.flatMap(Lists, (lists) => Effect.map(lists.view(id), ({ list }) => list))

/** Views of operations, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: operations`, (it) => {
    it.effect("show created entities without fields, and updated ones with their changed fields", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const made = yield* viewOf(make({ text: "a", list_id: list.id }))
          const [entity] = made.entities
          expect(made).toMatchObject({
            operation: { name: "updateThing", surface: "rest", by: { type: "key" }, counts: { things: 1, lists: 0 } },
            entities: [{ type: "thing", change: "created", before: null, after: null }],
            undo: "possible"
          })
          const changed = yield* viewOf(patch(entity!.id, { text: "b", favorited: true }))
          expect(changed.entities).toHaveLength(1)
          const { after, before, change } = changed.entities[0]!
          expect([change, before!["text"], after!["text"], before!["favorited"], after!["favorited"]]).toStrictEqual([
            "updated",
            "a",
            "b",
            false,
            true
          ])
          expect(Object.keys(before!).toSorted()).toStrictEqual(["favorited", "text", "updated"])
          expect(Object.keys(after!).toSorted()).toStrictEqual(["favorited", "text", "updated"])
          const [ofList, gone] = [{ ...entity!, type: "list", id: list.id } as const, { ...entity!, id: list.id }]
          const names = yield* (yield* Operations).namesOfCreated([gone, entity!, ofList])
          expect([...names]).toStrictEqual([
            [list.id, "“one”"],
            [entity!.id, "“b”"]
          ])
        })
      )
    )

    it.effect("show deleted entities with all fields, in the contract's JSON", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" })
          const view = yield* viewOf((yield* Lists).remove(list.id))
          yield* listNamed("later")
          expect(view.operation.counts).toStrictEqual({ lists: 1, things: 1, reminders: 1, places: 0 })
          expect(view.entities.map(({ change, type }) => [type, change])).toStrictEqual([
            ["list", "deleted"],
            ["thing", "deleted"],
            ["reminder", "deleted"]
          ])
          const [shownList, shownThing, shownReminder] = view.entities.map(({ before }) => before!)
          expect(shownList).toMatchObject({ title: "one", today: false, sort: "chronological" })
          expect(Object.keys(shownThing!)).toHaveLength(24)
          expect(shownThing).toMatchObject({ text: "a", list_id: list.id, clone_of: null })
          expect(shownReminder).toMatchObject({
            text: "a",
            thing_id: thing.id,
            list_id: list.id,
            summary: expect.stringContaining("2026") as string
          })
        })
      )
    )

    it.effect("show the changed fields of a reminder as they were right after the operation", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a", list: "today" })
          yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" })
          const view = yield* viewOf(remind(thing.id, { at: "2026-12-02T09:00:00Z" }))
          yield* remind(thing.id, { at: "2026-12-03T09:00:00Z" })
          const again = operationViewJson(yield* (yield* Operations).view(view.operation.id))
          expect(again.entities).toStrictEqual(view.entities)
          expect(again.undo).toBe("blocked")
          expect(view.entities[0]).toMatchObject({
            type: "reminder",
            before: { at: "2026-12-01T09:00:00.000Z" },
            after: { at: "2026-12-02T09:00:00.000Z" }
          })
          expect(view.entities[0]!.after).not.toHaveProperty("text")
        })
      )
    )

    it.effect("show a reminder at a place with its place", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const reminders = yield* Reminders
          const { place } = yield* (yield* Places).save({ name: "Home", latitude: 1, longitude: 2 })
          const thing = yield* make({ text: "a", list: "today" })
          yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" })
          const moved = yield* viewOf(reminders.setAtPlace(thing.id, { place: "Home", trigger: "leave" }))
          expect(moved.entities).toMatchObject([
            { type: "reminder", before: { place: null }, after: { place: { id: place.id, name: "Home" }, at: null } }
          ])
          const changed = yield* viewOf(reminders.setAtPlace(thing.id, { place: "Home", trigger: "arrive" }))
          expect(changed.entities).toMatchObject([
            {
              type: "reminder",
              before: { place: { id: place.id, name: "Home", trigger: "leave" } },
              after: { place: { id: place.id, name: "Home", trigger: "arrive" } }
            }
          ])
        })
      )
    )

    it.effect("show a reminder with the list of its thing then and now", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          yield* remind(thing.id, { at: "2031-12-01T09:00:00Z", repeat: "daily" })
          const { entities } = yield* viewOf(patch(thing.id, { completed: true }))
          const { listId } = (yield* (yield* Things).get(thing.id)).thing
          expect(entities.find(({ type }) => type === "reminder")).toMatchObject({
            before: { at: "2031-12-01T09:00:00.000Z", list_id: list.id },
            after: { at: "2031-12-02T09:00:00.000Z", list_id: listId }
          })
        })
      )
    )

    it.effect("do not show lists and copies of which only `updated` changed", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const original = yield* make({ text: "a", list_id: list.id })
          const copies = yield* Effect.all([1, 2].map(() => make({ clone_of: original.id, list_id: list.id })))
          const view = yield* viewOf((yield* Things).remove(copies[0]!.id))
          expect(view.entities.map(({ id }) => id)).toStrictEqual([copies[0]!.id])
          expect(view.operation.counts).toStrictEqual({ lists: 0, things: 1, reminders: 0, places: 0 })
        })
      )
    )

    it.effect("count no entity that kept its values, and can still be undone", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id, tags: ["b"] })
          const at = "2026-12-01T09:00:00Z"
          yield* remind(thing.id, { at })
          for (const again of [
            viewOf(patch(thing.id, { text: "a", tags: ["b"] })),
            viewOf((yield* Lists).update(list.id, { title: "one" })),
            viewOf(remind(thing.id, { at }))
          ]) {
            const { entities, operation, undo } = yield* again
            expect([entities, operation.counts, undo]).toStrictEqual([[], nothingCounted, "possible"])
            const { updated } = yield* shownList(list.id)
            const undone = yield* (yield* Undo).undo(operation.id)
            expect(undone.operation.counts).toStrictEqual(nothingCounted)
            expect((yield* shownList(list.id)).updated).toBeGreaterThan(updated)
            expect(yield* (yield* HistoryStore).get(account.id, undone.operation.id)).toStrictEqual(undone.operation)
          }
        })
      )
    )

    it.effect("are not recorded when a place is saved unchanged", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const save = (yield* Places).save({ name: "Home", address: "Here", latitude: 1, longitude: 2 })
          const [first, second] = [makeCall(), makeCall()]
          yield* save.pipe(withCall(first))
          yield* save.pipe(withCall(second))
          expect([first.recorded !== undefined, second.recorded]).toStrictEqual([true, undefined])
        })
      )
    )

    it.effect("show at most 500 entities, and tell that they are truncated", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const items = Array.from({ length: 260 }, (_, at) => ({ text: String(at) }))
          for (let call = 0; call < 2; call++) yield* bulk({ list_id: list.id, items })
          const view = yield* viewOf((yield* Lists).remove(list.id))
          expect([view.entities.length, view.entities_truncated]).toStrictEqual([500, true])
          expect(view.operation.counts).toMatchObject({ lists: 1, things: 520 })
          expect(view.undo).toBe("possible")
        })
      )
    )

    it.effect("have a one-line summary of what every call changed", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const [lists, things, bulkThings] = [yield* Lists, yield* Things, yield* BulkThings]
          const [places, reminders, accounts] = [yield* Places, yield* Reminders, yield* Accounts]
          const summaryOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, summary: string) {
            const call = makeCall()
            const value = yield* effect.pipe(withCall(call))
            const operation = yield* (yield* HistoryStore).get(account.id, call.recorded ?? "")
            expect(operation?.summary).toBe(summary)
            return value
          })
          const { list } = yield* summaryOf(
            lists.create({ title: "Garden", things: [{ text: "Dig" }] }),
            "Created the list “Garden” with 1 thing"
          )
          const plants = yield* summaryOf(
            make({ text: "Water the plants", list_id: list.id }),
            "Added “Water the plants”"
          )
          yield* summaryOf(make({ text: "Rest", list: "2026-12-06" }), "Added “Rest” to “2026-12-06”")
          yield* summaryOf(make({ clone_of: plants.id, list_id: list.id }), "Added “Water the plants” to “Garden”")
          yield* summaryOf(
            bulk({ list_id: list.id, items: Array.from({ length: 12 }, () => ({ text: "Seed" })) }),
            "Added 12 things (“Seed”, “Seed”, “Seed” and 9 more) to “Garden”"
          )
          yield* summaryOf(
            bulkThings.appendMarkdown({ markdown: "- one\n- two", listId: list.id }),
            "Added 2 things (“one” and “two”) to “Garden”"
          )
          yield* summaryOf(
            remind(plants.id, { at: "2026-12-04T09:00:00Z", repeat: "daily" }),
            "Set the reminder of “Water the plants”: every day at 09:00, UTC"
          )
          yield* summaryOf(
            patch(plants.id, { completed: true }),
            "Completed “Water the plants”; it returns on 2026-12-05"
          )
          yield* summaryOf(reminders.remove(plants.id), "Removed the reminder of “Water the plants”")
          yield* summaryOf(patch(plants.id, { list_id: list.id }), "Moved “Water the plants” to “Garden”")
          yield* summaryOf(
            patch(plants.id, { tags: ["x"], note: "y" }),
            "Changed the tags and note of “Water the plants”"
          )
          yield* summaryOf(places.save({ name: "Home" }), "Saved the place “Home”")
          yield* summaryOf(places.save({ name: "Home", address: "here" }), "Changed the place “Home”")
          yield* summaryOf(
            reminders.setAtPlace(plants.id, { place: "Home", trigger: "arrive" }),
            "Set the reminder of “Water the plants”: on arriving at Home"
          )
          const [home] = yield* places.list
          yield* summaryOf(places.remove(home!.id), "Deleted the place “Home”")
          const all = yield* shown(list.id)
          yield* summaryOf(
            bulkSet(
              all.slice(0, 3).map(({ id }) => id),
              { favorited: true }
            ),
            `Starred 3 things (${all
              .slice(0, 2)
              .map(({ text }) => `“${text}”`)
              .join(", ")} and “${all[2]!.text}”)`
          )
          yield* summaryOf(
            bulkThings.remove(all.slice(0, 2).map(({ id }) => id)),
            `Deleted 2 things (“${all[0]!.text}” and “${all[1]!.text}”)`
          )
          yield* summaryOf(things.remove(all[3]!.id), `Deleted “${all[3]!.text}”`)
          yield* summaryOf(lists.update(list.id, { title: "Yard" }), "Renamed the list “Garden” to “Yard”")
          yield* summaryOf(lists.remove(list.id), `Deleted the list “Yard” with ${all.length - 3} things`)
          yield* summaryOf(
            lists.importMarkdown({ markdown: "# Food\n\n- Milk" }),
            "Imported the list “Food” with 1 thing"
          )
          yield* summaryOf(lists.day("2026-12-24"), "Made the list of 2026-12-24")
          yield* summaryOf(
            accounts.update(account.id, { timezone: "Asia/Tokyo" }),
            "Changed the timezone of the account"
          )
        })
      )
    )

    it.effect("omit a one-off reminder whose instant stays when the time zone changes", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const [once, daily] = [yield* make({ text: "once" }), yield* make({ text: "daily" })]
          yield* remind(once.id, { at: "2031-12-01T09:00:00Z" })
          yield* remind(daily.id, { at: "2031-12-01T09:00:00Z", repeat: "daily" })
          const view = yield* viewOf((yield* Accounts).update(account.id, { timezone: "Asia/Tokyo" }))
          expect(view.entities.map(({ type, before }) => [type, before?.["at"]])).toStrictEqual([
            ["account", undefined],
            ["reminder", "2031-12-01T09:00:00.000Z"]
          ])
          expect(view.operation.counts.reminders).toBe(1)
          expect(view.entities.every(({ after, before }) => Object.keys({ ...before, ...after }).length > 0)).toBe(true)
        })
      )
    )

    it.effect("show a reminder in the time zone before and after its change", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const allDay = yield* make({ text: "all day" })
            yield* remind(allDay.id, { at: "2031-12-01" })
            const [, moved] = (yield* viewOf((yield* Accounts).update(account.id, { timezone: "America/New_York" })))
              .entities
            expect([moved?.before, moved?.after]).toStrictEqual([
              { at: "2031-11-30T23:00:00.000Z", summary: "once on Monday 2031-12-01, all day, Europe/Vienna" },
              { at: "2031-12-01T05:00:00.000Z", summary: "once on Monday 2031-12-01, all day, America/New_York" }
            ])
          }),
        { timezone: "Europe/Vienna" }
      )
    )

    it.effect("show a reminder in the time zone of their own time after a later change of zone", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const allDay = yield* make({ text: "all day" })
            yield* remind(allDay.id, { at: "2031-12-01" })
            const view = yield* viewOf((yield* Things).remove(allDay.id))
            yield* (yield* Accounts).update(account.id, { timezone: "America/New_York" })
            yield* (yield* Accounts).update(account.id, { timezone: "Asia/Tokyo" })
            const later = yield* (yield* Operations).view(view.operation.id)
            expect(later.entities.map(({ before }) => before)).toStrictEqual(view.entities.map(({ before }) => before))
            expect(view.entities.map(({ before }) => before?.["summary"])).toContain(
              "once on Monday 2031-12-01, all day, Europe/Vienna"
            )
          }),
        { timezone: "Europe/Vienna" }
      )
    )

    it.effect("on a reminder are found by each thing that shares it", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const original = yield* make({ text: "a" })
          const copies = yield* Effect.forEach([1, 2], () => make({ clone_of: original.id }))
          yield* remind(copies[0]!.id, { at: "2026-12-01T09:00:00Z" })
          const { page } = yield* Operations
          const [reminded] = (yield* page({})).items
          for (const { id } of [original, ...copies])
            expect((yield* page({ thingId: id })).items[0]!.id).toBe(reminded!.id)
          const other = yield* make({ text: "b" })
          expect((yield* page({ thingId: other.id })).items).toHaveLength(1)
        })
      )
    )

    it.effect("are paged newest first, and filtered by caller, time, thing and list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const robot = makeCall({ by: { type: "app", id: "robot", name: "Robot" }, name: "createThing" })
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id }).pipe(withCall(robot))
          yield* listNamed("two")
          yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" }).pipe(withCall(robot))
          const operations = yield* Operations
          const all = (yield* operations.page({})).items
          expect(all.map(({ at }) => at)).toStrictEqual(all.map(({ at }) => at).toSorted((a, b) => b - a))
          const ids = (query: Parameters<typeof operations.page>[0]) =>
            Effect.map(operations.page(query), ({ items }) => items.map(({ id }) => id))
          const [reminded, , made] = all.map(({ id }) => id)
          expect(yield* ids({ byId: "robot" })).toStrictEqual([reminded, made])
          expect(yield* ids({ byId: "robot", since: all[2]!.at })).toStrictEqual([reminded])
          expect(yield* ids({ thingId: thing.id })).toStrictEqual([reminded, made])
          expect(yield* ids({ listId: list.id })).toStrictEqual([reminded, made, all.at(-1)!.id])
          expect(yield* ids({ page: 1 })).toStrictEqual([])
          expect((yield* Effect.flip(operations.view("nothing")))._tag).toBe("NotFound")
        })
      )
    )
  })
}
