import { describe, expect, it } from "@effect/vitest"
import { account, list, noon, thing } from "@lists-and-things/testing/Fixtures"
import { full } from "@lists-and-things/testing/ThingStoreSuite"
import { Effect, Layer, Stream } from "effect"
import { backupLines } from "../../src/backup/BackupContent.ts"
import { openBackup } from "../../src/backup/BackupParser.ts"
import { thingOf } from "../../src/backup/Restored.ts"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Lists } from "../../src/lists/Lists.ts"
import type { Caller } from "../../src/model/Caller.ts"
import { Places } from "../../src/places/Places.ts"
import { Reminders } from "../../src/reminders/Reminders.ts"
import { SizeLimits } from "../../src/size/SizeLimits.ts"
import { BulkThings } from "../../src/things/BulkThings.ts"
import { type AllowedUrl, Webhooks } from "../../src/webhooks/Webhooks.ts"
import { Things } from "../../src/things/Things.ts"
import { as, backupLayer, exported, newAccount, restore, sample } from "./Sample.ts"

const test = (name: string, body: () => Effect.Effect<void, unknown, never>) => it.effect(name, () => body())

const run = <A, E>(effect: Effect.Effect<A, E, unknown>) =>
  Effect.provide(effect as Effect.Effect<A, E, never>, backupLayer)

/** An export without the account's id and email and the time of the export. */
const comparable = (text: string) => {
  const { account, exported: _, ...rest } = JSON.parse(text) as Record<string, unknown> & { account: object }
  return { ...rest, account: { ...account, id: "", email: "" } }
}

describe("a backup", () => {
  test("is restored without loss into an empty account of another storage", () =>
    Effect.gen(function* () {
      const text = yield* run(Effect.flatMap(sample("ann@example.com"), exported))
      const again = yield* run(
        Effect.gen(function* () {
          const target = yield* newAccount("bob@example.com")
          const result = yield* restore(target, text)
          expect(result).toStrictEqual({ lists: 3, things: 11, reminders: 2, skipped: 0 })
          return yield* exported(yield* (yield* Accounts).get(target.id))
        })
      )
      expect(comparable(again)).toStrictEqual(comparable(text))
    }))

  test("has all things and reminders, even more than 1,000", () =>
    run(
      Effect.gen(function* () {
        const ann = yield* newAccount("ann@example.com")
        const many = 1_001
        const markdown = Array.from({ length: many }, (_, at) => `- [ ] Thing ${at}`).join("\n")
        const { list } = yield* as(ann)((yield* Lists).importMarkdown({ markdown, title: "Many" }))
        const { things } = yield* as(ann)((yield* Lists).view(list.id))
        const reminders = yield* Reminders
        yield* Effect.forEach(things, ({ id }) => as(ann)(reminders.set(id, { at: "2026-12-01" })))
        const bob = yield* newAccount("bob@example.com")
        const result = yield* restore(bob, yield* exported(ann))
        expect(result).toStrictEqual({ lists: 1, things: many, reminders: many, skipped: 0 })
      })
    ))

  test("has every field of a thing", () =>
    Effect.gen(function* () {
      const owner = account()
      const home = list(owner.id)
      const original = thing(owner.id, home.id, { hasClones: true })
      const copy = full(thing(owner.id, home.id), home.id, original.id)
      const lines = yield* Stream.runCollect(
        backupLines({
          account: owner,
          taken: noon,
          places: [],
          lists: [home],
          thingsOf: () => Stream.make([original, copy]),
          reminders: Stream.empty,
          webhooks: []
        })
      )
      const { things } = yield* openBackup(Stream.make(lines.flat().join("\n")))
      const read = yield* Stream.runCollect(things)
      expect(read.map((record) => thingOf(owner.id, record, record.clone_of === null))).toStrictEqual([original, copy])
    }))

  test("is refused when the account cannot hold it, and nothing is restored", () =>
    Effect.gen(function* () {
      const text = yield* run(Effect.flatMap(sample("ann@example.com"), exported))
      const narrow = { list: { things: 20_000, bytes: 2 ** 24 }, account: { things: 10, bytes: 2 ** 24 } }
      yield* Effect.gen(function* () {
        const target = yield* newAccount("bob@example.com")
        const refused = yield* Effect.flip(restore(target, text))
        expect(refused.message).toBe("This account can hold at most 10 things: it has 0, and this would add 11")
        expect((yield* as(target)((yield* Lists).page(0))).items).toStrictEqual([])
      }).pipe(Effect.provide(backupLayer.pipe(Layer.provide(Layer.succeed(SizeLimits, narrow)))))
    }) as Effect.Effect<void, unknown, never>)

  test("restores webhooks disabled and with new secrets; an export of version 1 has none", () =>
    run(
      Effect.gen(function* () {
        const account = yield* sample("ann@example.com")
        const webhooks = yield* Webhooks
        const url = "https://ntfy.sh/my-topic" as AllowedUrl
        const made = yield* as(account)(
          webhooks.create({ url, events: ["reminder.due"], format: "ntfy", description: "Phone" })
        )
        yield* (yield* Accounts).update(account.id, { allDayAt: "07:30" })
        const text = yield* exported(yield* (yield* Accounts).get(account.id))
        expect(text).not.toContain(made.secret.slice(6))
        const target = yield* newAccount("bob@example.com")
        yield* restore(target, text)
        const [back] = yield* as(target)(webhooks.list)
        expect(back).toMatchObject({ id: made.id, url, events: ["reminder.due"], format: "ntfy", description: "Phone" })
        expect(back).toMatchObject({ enabled: false, disabledReason: expect.stringContaining("restored") })
        expect(back?.secret).not.toBe(made.secret)
        expect((yield* (yield* Accounts).get(target.id)).allDayAt).toBe("07:30")
        expect(yield* restore(target, text, true)).toStrictEqual({ lists: 0, things: 0, reminders: 0, skipped: 18 })
        expect(yield* as(target)(webhooks.list)).toStrictEqual([back])
        const first = text
          .replace('"version": 2', '"version": 1')
          .replace(/,"all_day_at":"07:30"/, "")
          .replace(/\],\n"webhooks": \[\n.*\n\]/, "]")
        const other = yield* newAccount("eve@example.com")
        yield* restore(other, first)
        expect(yield* as(other)(webhooks.list)).toStrictEqual([])
        expect((yield* (yield* Accounts).get(other.id)).allDayAt).toBe("09:00")
      })
    ))

  test("contains neither keys nor passwords", () =>
    run(
      Effect.gen(function* () {
        const account = yield* sample("ann@example.com")
        const token = yield* (yield* Accounts).feedToken(account.id)
        const text = yield* exported(account)
        expect(text).not.toContain(token)
        expect(text).not.toMatch(/scrypt|secret|lat_/)
      })
    ))

  test("keeps clones linked, and new things sort last, after it was restored", () =>
    run(
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
        const target = yield* newAccount("bob@example.com")
        yield* restore(target, text)
        const things = yield* Things
        const lists = yield* Lists
        const trip = yield* as(target)(Effect.flatMap(lists.byName("Trip 🚆"), (list) => lists.view(list.id)))
        const clone = trip.things.find((thing) => thing.cloneOf !== null)!
        yield* as(target)(things.update(clone.id, { note: "moved" }))
        const original = yield* as(target)(things.get(clone.cloneOf!))
        expect(original.thing.note).toBe("moved")
        expect(original.reminder?.reminder.alertMinutes).toBe(10)
        const last = yield* as(target)(things.create({ text: "new", listId: trip.list.id }))
        expect(trip.things.every((thing) => thing.position.sortTime <= last.position.sortTime)).toBe(true)
      })
    ))

  test("is refused by an account that is not empty, unless it is merged", () =>
    run(
      Effect.gen(function* () {
        const account = yield* sample("ann@example.com")
        const text = yield* exported(account)
        expect(yield* Effect.flip(restore(account, text))).toEqual(expect.objectContaining({ _tag: "Conflict" }))
        expect(yield* restore(account, text, true)).toStrictEqual({ lists: 0, things: 0, reminders: 0, skipped: 17 })
        expect(comparable(yield* exported(account))).toStrictEqual(comparable(text))
      })
    ))

  test("is refused by an account that owns a single list, thing of a day list, or place", () =>
    run(
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
        const [lists, places, things] = [yield* Lists, yield* Places, yield* Things]
        const all = [
          lists.create({ title: "A list" }),
          Effect.flatMap(lists.day("2026-11-21"), ({ list }) => things.create({ text: "mine", listId: list.id })),
          places.save({ name: "Hut" })
        ]
        for (const [at, owned] of all.entries()) {
          const target = yield* newAccount(`bob-${at}@example.com`)
          yield* as(target)(owned as Effect.Effect<unknown, never, Caller>)
          expect(yield* Effect.flip(restore(target, text))).toEqual(expect.objectContaining({ _tag: "Conflict" }))
        }
      })
    ))

  test("is restored into an account that has only an empty day list", () =>
    run(
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
        const target = yield* newAccount("bob@example.com")
        yield* as(target)((yield* Lists).day("2026-11-21"))
        yield* restore(target, text)
        expect(comparable(yield* exported(yield* (yield* Accounts).get(target.id)))).toStrictEqual(comparable(text))
      })
    ))

  test("restores what was deleted since, and leaves what was changed, when merged", () =>
    run(
      Effect.gen(function* () {
        const account = yield* sample("ann@example.com")
        const text = yield* exported(account)
        const lists = yield* Lists
        const trip = yield* as(account)(lists.byName("Trip 🚆"))
        yield* as(account)(lists.update(trip.id, { title: "Journey" }))
        const { things } = yield* as(account)(lists.view(trip.id))
        const gone = things.filter((thing) => thing.text === "Pack" || thing.cloneOf !== null)
        expect(gone).toHaveLength(2)
        yield* as(account)((yield* BulkThings).remove(gone.map((thing) => thing.id)))
        expect(yield* restore(account, text, true)).toEqual(
          expect.objectContaining({ lists: 0, things: 2, reminders: 0 })
        )
        const after = yield* as(account)(lists.view(trip.id))
        expect(after.list.title).toBe("Journey")
        const clone = after.things.find((thing) => thing.cloneOf !== null)!
        const original = yield* as(account)((yield* Things).get(clone.cloneOf!))
        expect(original.thing.hasClones).toBe(true)
        expect(clone.text).toBe(original.thing.text)
      })
    ))

  test("is merged into the day list of the same date in another account", () =>
    run(
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
        const target = yield* newAccount("bob@example.com")
        const lists = yield* Lists
        const { list } = yield* as(target)(lists.day("2026-11-21"))
        const kept = yield* as(target)((yield* Things).create({ text: "mine", listId: list.id }))
        const result = yield* restore(target, text, true)
        expect(result).toStrictEqual({ lists: 2, things: 11, reminders: 2, skipped: 1 })
        const day = yield* as(target)(lists.view(list.id))
        expect(day.things.map((thing) => thing.text)).toEqual(expect.arrayContaining([...["mine", "Dentist"]]))
        expect(day.things.map((thing) => thing.id)).toContain(kept.id)
      })
    ))

  test("keeps the wall-clock times of reminders when merged into an account of another time zone", () =>
    run(
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
        const { account: target } = yield* (yield* Accounts).update((yield* newAccount("bob@example.com")).id, {
          timezone: "Asia/Tokyo"
        })
        yield* restore(target, text, true)
        const { list } = yield* as(target)((yield* Lists).day("2026-11-21"))
        const [{ reminder, summary } = yield* Effect.die("No reminder")] = (yield* as(target)(
          (yield* Lists).view(list.id)
        )).reminders
        expect(reminder.trigger).toMatchObject({
          at: Date.parse("2026-11-23T00:00Z"),
          first: "2026-11-23T09:00:00.000"
        })
        expect(summary).toBe("every week on Monday at 09:00, Asia/Tokyo")
      })
    ))
})

describe("a damaged export", () => {
  const damaged: ReadonlyArray<readonly [string, (text: string) => string, RegExp]> = [
    [
      "cut off in the middle",
      (text) => text.slice(0, text.indexOf('"things"') + 400),
      /^line \d+ is where this stops being JSON/
    ],
    [
      "with a stray character",
      (text) => text.replace('"lists": [', '"lists": [ x'),
      /^line 9 is where this stops being JSON/
    ],
    ["of something else", () => '{"hello": 1}', /^line 1 does not begin an export/],
    [
      "of a newer release",
      (text) => text.replace('"version": 2', '"version": 3'),
      /^line 1 says version 3, which a newer/
    ],
    [
      "with a number for a text",
      (text) => text.replace('"text":"Pack"', '"text":7'),
      /^line \d+: things\[\d+\]\.text must be a string/
    ],
    [
      "with an unknown field",
      (text) => text.replace('"emoji":', '"emojy":'),
      /^line \d+: lists\[\d\]\.emojy is not a known field: did you mean emoji/
    ],
    [
      "with an id of another form",
      (text) => text.replace(/"lists": \[\n\{"id":"[^"]+"/, '"lists": [\n{"id":"7"'),
      /^line 10: lists\[0\]\.id must be an id/
    ],
    [
      "with an invalid time",
      (text) => text.replace(/"exported": "[^"]+"/, '"exported": "soon"'),
      /^line 4: exported must be an ISO 8601 time/
    ],
    [
      "whose list is missing",
      (text) => text.replace(/("lists": \[\n)\{.*\},\n/, "$1"),
      /^line \d+: things\[\d+\]\.list_(id|ref) must name a list of this document/
    ],
    [
      "whose clone has no original",
      (text) => text.replace(/"clone_of":"[^"]{8}/, '"clone_of":"11111111'),
      /^line \d+: things\[\d+\]\.clone_of must name a thing that is no clone itself of this document/
    ],
    [
      "whose reminder has no thing",
      (text) => text.replace(/"thing_id":"[^"]{8}/, '"thing_id":"11111111'),
      /^line \d+: reminders\[0\]\.thing_id must name a thing that is no clone of this document/
    ],
    [
      "whose reminder has an unknown place",
      (text) => text.replace(/"place":\{"id":"[^"]{8}/, '"place":{"id":"11111111'),
      /^line \d+: reminders\[1\]\.place must name a place of this document/
    ],
    [
      "whose reminder has neither time nor place",
      (text) => text.replace(/"time":null,"place":\{[^}]*\}/, '"time":null,"place":null'),
      /^line \d+: reminders\[1\]\.time must be there where place is not, and only there/
    ],
    [
      "with a place of the same name",
      (text) => text.replace(/("places": \[\n)\{"id":"[^"]{8}(.*)\n/, '$1{"id":"11111111$2,\n{"id":"22222222$2\n'),
      /^line \d+: places\[1\]\.name is there a second time/
    ],
    [
      "with a line twice",
      (text) => text.replace(/("things": \[\n)(\{.*\},\n)/, "$1$2$2"),
      /^line \d+: things\[1\]\.id is there a second time/
    ]
  ]
  for (const [what, damage, message] of damaged) {
    test(`${what} is refused with its line, and nothing is restored`, () =>
      run(
        Effect.gen(function* () {
          const text = yield* Effect.flatMap(sample("ann@example.com"), exported)
          const broken = damage(text)
          expect(broken).not.toBe(text)
          const target = yield* newAccount("bob@example.com")
          const before = yield* exported(target)
          const error = yield* Effect.flip(restore(target, broken))
          expect((error as Error).message).toMatch(message)
          expect(comparable(yield* exported(target))).toStrictEqual(comparable(before))
        })
      ))
  }
})
