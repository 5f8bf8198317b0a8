import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { BulkSetInput } from "@lists-and-things/domain/json/ThingInput"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulkSet, make, patch, remind } from "./AsOwner.ts"

type UseCases = Lists | Things | BulkThings | Reminders | AccountStore

const owned = <A, E, R>(test: Effect.Effect<A, E, R>, overrides: Partial<Account> = {}) =>
  asOwner(() => test, overrides)

const view = (id: string) =>
  Effect.gen(function* () {
    return yield* (yield* Lists).view(id)
  })

const atOf = (id: string) =>
  Effect.gen(function* () {
    const { reminder } = yield* (yield* Things).get(id)
    const trigger = reminder?.reminder.trigger
    return trigger?._tag === "Time" ? new Date(trigger.at).toISOString() : undefined
  })

/** A list "Chores" with three things, the middle one repeating daily at 09:00 from 2026-11-20 on. */
const chores = Effect.gen(function* () {
  const { list } = yield* (yield* Lists).create({ title: "Chores" })
  yield* make({ text: "before", list_id: list.id })
  const thing = yield* make({ text: "water plants", list_id: list.id })
  yield* make({ text: "after", list_id: list.id })
  yield* remind(thing.id, { at: "2026-11-20T09:00", repeat: "daily" })
  return { list: (yield* view(list.id)).list, thing }
})

const rows = (
  things: ReadonlyArray<{ readonly text: string; readonly completed: boolean; readonly canceled: boolean }>
) => things.map(({ text, completed, canceled }) => `${completed ? "x" : canceled ? "-" : " "} ${text}`)

/**
 * How completing and canceling affects things with reminders, over any adapter
 * (docs/contract.md#states-and-transitions).
 */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  describe(`${name}: completion`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      it.effect("a repeating thing moves to its next day; a completed copy stays in its place", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const done = yield* patch(thing.id, { completed: true })
            expect(done.thing.completed).toBe(false)
            expect(done.reminderRemoved).toBe(false)
            const next = yield* view(done.repeating!.listId)
            expect(next.list.title).toBe("2026-11-22")
            expect(rows(next.things)).toStrictEqual(["  water plants"])
            expect(next.things[0]?.id).toBe(thing.id)
            expect(yield* atOf(thing.id)).toBe("2026-11-22T09:00:00.000Z")
            const stayed = yield* view(list.id)
            expect(rows(stayed.things)).toStrictEqual(["  before", "x water plants", "  after"])
            expect(stayed.things[1]?.id).toBe(done.repeating?.copyId)
            expect(stayed.reminders).toHaveLength(0)
            expect(stayed.list.updated).toBeGreaterThan(list.updated)
          })
        )
      )

      it.effect("canceling does the same, and the copy has the other edits", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            yield* patch(thing.id, { canceled: true, text: "water cactus" })
            expect(rows((yield* view(list.id)).things)).toStrictEqual(["  before", "- water cactus", "  after"])
            expect((yield* (yield* Things).get(thing.id)).thing.text).toBe("water cactus")
          })
        )
      )

      it.effect(
        "a repeating thing moved by the same patch leaves its copy last in the target list, which is updated",
        () =>
          owned(
            Effect.gen(function* () {
              const { list, thing } = yield* chores
              const { list: other } = yield* (yield* Lists).create({ title: "Other", things: [{ text: "there" }] })
              yield* patch(thing.id, { completed: true, list_id: other.id })
              expect(rows((yield* view(list.id)).things)).toStrictEqual(["  before", "  after"])
              const there = yield* view(other.id)
              expect(rows(there.things)).toStrictEqual(["  there", "x water plants"])
              expect(there.list.updated).toBeGreaterThan(other.updated)
            })
          )
      )

      it.effect("without repeat_moves_to_day a repeating thing stays in an ordinary list, right after its copies", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const first = yield* patch(thing.id, { completed: true })
            expect(first.repeating?.listId).toBe(list.id)
            yield* patch(thing.id, { completed: true })
            expect(rows((yield* view(list.id)).things)).toStrictEqual([
              "  before",
              "x water plants",
              "x water plants",
              "  water plants",
              "  after"
            ])
          }),
          { repeatMovesToDay: false }
        )
      )

      it.effect("things of one call keep their order when one of them leaves a copy", () =>
        owned(
          Effect.gen(function* () {
            const { list } = yield* (yield* Lists).create({
              title: "L",
              things: [{ text: "a" }, { text: "b" }, { text: "c" }]
            })
            const [, b] = (yield* view(list.id)).things
            yield* remind(b!.id, { at: "2026-11-20T09:00", repeat: "daily" })
            yield* patch(b!.id, { completed: true })
            expect(rows((yield* view(list.id)).things)).toStrictEqual(["  a", "x b", "  b", "  c"])
          }),
          { repeatMovesToDay: false }
        )
      )

      it.effect("many things that are completed at once keep their order with their copies", () =>
        owned(
          Effect.gen(function* () {
            const titles = ["a", "b", "c", "d", "e"]
            const { list } = yield* (yield* Lists).create({ title: "L", things: titles.map((text) => ({ text })) })
            const { things } = yield* view(list.id)
            const repeating = [things[3]!, things[0]!, things[1]!]
            for (const { id } of repeating) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
            yield* bulkSet([...repeating.map(({ id }) => id), things[2]!.id], { completed: true })
            const after = yield* view(list.id)
            expect(rows(after.things)).toStrictEqual(["x a", "  a", "x b", "  b", "x c", "x d", "  d", "  e"])
            expect(new Set(after.things.map(({ position }) => position.sequence)).size).toBe(8)
          }),
          { repeatMovesToDay: false }
        )
      )

      it.effect("a one-off reminder is removed, and so is a rule without further occurrences", () =>
        owned(
          Effect.gen(function* () {
            const { list } = yield* (yield* Lists).create({ title: "L" })
            for (const rule of [
              { at: "2026-11-22T09:00" },
              { at: "2026-11-20T09:00", repeat: "daily", repeat_until: "2026-11-21T11:00" }
            ]) {
              const thing = yield* make({ text: "once", list_id: list.id })
              yield* remind(thing.id, rule)
              const done = yield* patch(thing.id, { completed: true })
              expect(done.reminderRemoved && done.thing.completed).toBe(true)
              expect(done.repeating).toBeUndefined()
              expect((yield* (yield* Things).get(thing.id)).reminder).toBeNull()
            }
          })
        )
      )

      it.effect("a patch that names an occurrence completes it once; repeated, none of it is applied", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const occurrence = "2026-11-20T10:00:00+01:00"
            yield* patch(thing.id, { completed: true, occurrence })
            const again = yield* patch(thing.id, { completed: true, text: "lost", occurrence })
            expect(again.repeating).toBeUndefined()
            expect(again.thing.text).toBe("water plants")
            expect((yield* view(list.id)).things).toHaveLength(3)
            const once = yield* make({ text: "once" })
            yield* remind(once.id, { at: "2026-11-22T09:00" })
            const due = "2026-11-22T09:00"
            expect((yield* patch(once.id, { completed: true, occurrence: due })).reminderRemoved).toBe(true)
            const repeated = yield* patch(once.id, { completed: true, text: "lost", occurrence: due })
            expect([repeated.thing.text, repeated.reminderRemoved]).toStrictEqual(["once", false])
          })
        )
      )

      it.effect("a bulk update completes each thing by its own reminder", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const once = yield* make({ text: "once", list_id: list.id })
            yield* remind(once.id, { at: "2026-11-22T09:00" })
            const set = yield* decodeInput(BulkSetInput)({ completed: true })
            const all = (yield* view(list.id)).things.map((each) => each.id)
            expect(yield* (yield* BulkThings).update({ ids: all, set })).toStrictEqual({ updated: 4, skipped: 0 })
            expect(rows((yield* view(list.id)).things)).toStrictEqual([
              "x before",
              "x water plants",
              "x after",
              "x once"
            ])
            expect((yield* (yield* Things).get(thing.id)).thing.completed).toBe(false)
            expect((yield* (yield* Things).get(once.id)).reminder).toBeNull()
          })
        )
      )

      it.effect("a bulk update moves each thing to the day of its own next occurrence", () =>
        owned(
          Effect.gen(function* () {
            const things = [yield* make({ text: "daily" }), yield* make({ text: "weekly" })]
            for (const { id, text } of things) yield* remind(id, { at: "2026-11-20T09:00", repeat: text })
            const ids = things.map(({ id }) => id)
            yield* bulkSet(ids, { completed: true })
            const days = yield* Effect.forEach(ids, (id) =>
              Effect.gen(function* () {
                const { list, things } = yield* view((yield* (yield* Things).get(id)).thing.listId)
                return [list.title, ...rows(things)]
              })
            )
            expect(days).toStrictEqual([
              ["2026-11-22", "  daily"],
              ["2026-11-27", "  weekly"]
            ])
          })
        )
      )

      it.effect("a bulk update keeps the order and nesting of the list, whatever the order of the ids", () =>
        owned(
          Effect.gen(function* () {
            const { list } = yield* (yield* Lists).create({
              title: "L",
              things: [{ text: "shop" }, { text: "milk", tabs: 1 }, { text: "bread", tabs: 1 }]
            })
            const { list: other } = yield* (yield* Lists).create({ title: "Other" })
            const { things } = yield* view(list.id)
            for (const { id } of things) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
            const backwards = things.toReversed().map(({ id }) => id)
            const nested = ["0 shop", "1 milk", "1 bread"]
            yield* bulkSet(backwards, { completed: true })
            const [shop] = (yield* view(list.id)).things
            expect(shop?.completed).toBe(true)
            const { thing } = yield* (yield* Things).get(backwards[0]!)
            const first = yield* view(thing.listId)
            expect(first.list.title).toBe("2026-11-22")
            expect(first.things.map(({ tabs, text }) => `${tabs} ${text}`)).toStrictEqual(nested)
            yield* bulkSet(backwards, { canceled: true, list_id: other.id })
            expect(rows((yield* view(other.id)).things)).toStrictEqual(["- shop", "- milk", "- bread"])
            const next = yield* view((yield* (yield* Things).get(backwards[0]!)).thing.listId)
            expect(next.list.title).toBe("2026-11-23")
            expect(next.things.map(({ tabs, text }) => `${tabs} ${text}`)).toStrictEqual(nested)
          })
        )
      )

      it.effect("a reminder is shared by live linked copies; completing one moves only that one", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const { list: other } = yield* (yield* Lists).create({ title: "Other" })
            const clone = yield* make({ clone_of: thing.id, list_id: other.id })
            expect((yield* (yield* Things).get(clone.id)).reminder?.thing.id).toBe(clone.id)
            const done = yield* patch(clone.id, { completed: true })
            expect(done.repeating?.listId).not.toBe(other.id)
            expect(rows((yield* view(other.id)).things)).toStrictEqual(["x water plants"])
            expect(rows((yield* view(list.id)).things)).toStrictEqual(["  before", "  water plants", "  after"])
            expect(yield* atOf(thing.id)).toBe("2026-11-22T09:00:00.000Z")
          })
        )
      )

      it.effect("of live linked copies that are completed in one call, the first moves, and the others stay open", () =>
        owned(
          Effect.gen(function* () {
            const { list, thing } = yield* chores
            const { list: other } = yield* (yield* Lists).create({ title: "Other" })
            const clone = yield* make({ clone_of: thing.id, list_id: other.id })
            yield* bulkSet([thing.id, clone.id], { completed: true })
            expect(rows((yield* view(list.id)).things)).toStrictEqual(["  before", "x water plants", "  after"])
            const stayed = (yield* view(other.id)).things
            expect([rows(stayed), stayed[0]!.id]).toStrictEqual([["  water plants"], clone.id])
            expect(yield* atOf(thing.id)).toBe("2026-11-22T09:00:00.000Z")
          })
        )
      )

      it.effect("ten concurrent completions make exactly ten copies and ten advances", () =>
        owned(
          Effect.gen(function* () {
            const { thing } = yield* chores
            const done = yield* Effect.all(
              Array.from({ length: 10 }, () => patch(thing.id, { completed: true })),
              { concurrency: "unbounded" }
            )
            expect(new Set(done.map((each) => each.repeating?.copyId)).size).toBe(10)
            expect(new Set(done.map((each) => each.repeating?.nextAt)).size).toBe(10)
            expect(yield* atOf(thing.id)).toBe("2026-12-01T09:00:00.000Z")
          })
        )
      )
    })
  })
}
