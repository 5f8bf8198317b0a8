import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer, Logger } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, listNamed, make, patch, remind, shown, texts } from "./AsOwner.ts"
import { at, noon } from "./Fixtures.ts"

const year = 365 * 86_400_000

type UseCases = Lists | Things | BulkThings | Reminders | AccountStore

/** Behavior after a clock was a year ahead and has been corrected, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: a clock that was ahead`, (it) => {
    it.effect("does not affect `created` of later writes, and their `updated` still increases", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const old = yield* at(noon + year)(listNamed("Old"))
          const early = yield* at(noon + year)(make({ text: "early", list_id: old.id }))
          expect([old.created, early.created]).toStrictEqual([noon + year, early.updated])
          const list = yield* listNamed("New")
          expect(list.created).toBe(noon)
          expect(list.updated).toBeGreaterThan(early.updated)
          const today = yield* make({ text: "on the day list" })
          expect(today.created).toBe(noon)
          expect(today.updated).toBeGreaterThan(list.updated)
          const { list: day } = yield* (yield* Lists).day()
          expect(day.created).toBe(noon)
          expect(day.day).toBe("2026-11-21")
          const reminded = yield* remind(today.id, { at: "2026-11-22T09:00:00Z" })
          expect(reminded.reminder.created).toBe(noon)
        })
      )
    )

    it.effect("does not affect `created` and position of a single thing that is added at the end of a list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* at(noon + year)(listNamed("List"))
          const first = yield* make({ text: "first", list_id: list.id })
          const second = yield* make({ text: "second", list_id: list.id })
          expect([first.created, second.created]).toStrictEqual([noon, noon])
          expect([first.position, second.position]).toStrictEqual([
            { sortTime: noon, sequence: 0 },
            { sortTime: noon, sequence: 1 }
          ])
          expect(first.updated).toBeGreaterThan(noon + year)
          expect(second.updated).toBeGreaterThan(first.updated)
          const stored = yield* shown(list.id)
          expect(stored).toStrictEqual([first, second])
        })
      )
    )

    it.effect("does not make a poller by `updated` miss a write", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* at(noon + year)(listNamed("List"))
          const early = yield* at(noon + year)(make({ text: "early", list_id: list.id }))
          yield* bulk({ items: [{ text: "a" }, { text: "b" }], list_id: list.id })
          yield* patch(early.id, { completed: true })
          const since = new Date(early.updated).toISOString()
          const page = yield* (yield* Things).page({ since, sort: "updated" })
          expect(texts(page.items).toSorted()).toStrictEqual(["a", "b", "early"])
          for (const thing of page.items) expect(thing.updated).toBeGreaterThan(early.updated)
        })
      )
    )

    it.effect("leaves new things at the end of a list, and in the order of `created` in a new list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* at(noon + year)(listNamed("List"))
          yield* at(noon + year)(make({ text: "ahead", list_id: list.id }))
          yield* bulk({ items: [{ text: "a" }, { text: "b" }], list_id: list.id })
          yield* bulk({ items: [{ text: "c" }], list_id: list.id })
          expect(texts(yield* shown(list.id))).toStrictEqual(["ahead", "a", "b", "c"])
          const fresh = yield* listNamed("Fresh")
          yield* bulk({ items: [{ text: "now" }], list_id: fresh.id })
          const dated = [{ text: "later", created: "2026-11-21T12:00:01Z" }]
          yield* bulk({ items: dated, list_id: fresh.id })
          yield* at(noon + 500)(bulk({ items: [{ text: "end" }], list_id: fresh.id }))
          yield* bulk({ items: [{ text: "before", created: "2026-11-21T11:59:59Z" }], list_id: fresh.id })
          const things = yield* shown(fresh.id)
          expect(texts(things)).toStrictEqual(["before", "now", "later", "end"])
        })
      )
    )

    it.effect("is logged once a minute", () =>
      asOwner(({ id }) =>
        Effect.gen(function* () {
          const lines: Array<string> = []
          const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
          const say = (now: number) => at(now)(Effect.provide(make({ text: "x" }), Logger.layer([logger])))
          const start = noon - year
          yield* at(noon)(make({ text: "ahead" }))
          for (const after of [0, 1, 59_999, 60_000, 60_001]) yield* say(start + after)
          expect(lines, id).toHaveLength(2)
          for (const line of lines) expect(line).toMatch(/^Warn The last write of an account is dated 36\d days ahead/)
        })
      )
    )
  })
}
