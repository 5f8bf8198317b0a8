import { describe, expect, it } from "@effect/vitest"
import { freshId, list as fixtureList, thing as fixtureThing } from "@lists-and-things/testing/Fixtures"
import { Effect } from "effect"
import { decodeInput } from "../../src/json/Decode.ts"
import { exampleIds } from "../../src/json/Described.ts"
import { CreateListInput, ImportMarkdownInput, UpdateListInput } from "../../src/json/ListInput.ts"
import { listJson } from "../../src/json/ListJson.ts"
import { BulkCreateInput, BulkUpdateInput, CreateThingInput, UpdateThingInput } from "../../src/json/ThingInput.ts"
import { SetReminderInput } from "../../src/json/ReminderJson.ts"
import { thingJson } from "../../src/json/ThingJson.ts"
import { CreateWebhookInput } from "../../src/json/WebhookJson.ts"
import type { InvalidInput } from "../../src/model/Errors.ts"
import { AccountId } from "../../src/model/Ids.ts"

const problem = (decode: (value: unknown) => Effect.Effect<unknown, { readonly message: string }>, value: unknown) =>
  decode(value).pipe(
    Effect.flip,
    Effect.map((error) => error.message)
  )

const milk = '"text": "Oat **milk**, two litres"'

const thing = decodeInput(CreateThingInput)
const bulk = decodeInput(BulkCreateInput)
const patch = decodeInput(UpdateThingInput)

describe("decoding a body", () => {
  it.effect.each([
    ["a wrong type", { text: 5 }, `text must be a string, not 5. For example ${milk}`],
    [
      "a string for a boolean",
      { text: "x", completed: "true" },
      'completed must be true or false, not "true". For example "completed": true'
    ],
    [
      "an unknown key",
      { text: "x", listid: "1" },
      `listid is not a known field: did you mean list_id? For example "list_id": "${exampleIds.list}"`
    ],
    ["title for text", { title: "x" }, `title is not a known field: use text. For example ${milk}`],
    [
      "Done for completed",
      { text: "x", Done: true },
      'Done is not a known field: use completed. For example "completed": true'
    ],
    [
      "dueDate, for which a thing has no field",
      { text: "x", dueDate: "2026-11-21" },
      'dueDate is not a known field: a time is set by PUT /things/{id}/reminder, a day by the day list that the thing is in. For example "list": "today"'
    ],
    ["indent for tabs", { text: "x", indent: 1 }, 'indent is not a known field: use tabs. For example "tabs": 1'],
    [
      "parent_id for tabs",
      { text: "x", parent_id: "y" },
      'parent_id is not a known field: tabs nests a thing under the one before it, and a new one goes to the end of its list. For example "tabs": 1'
    ],
    [
      "deadline, for which a thing has no field",
      { text: "x", deadline: "2026-11-21" },
      'deadline is not a known field: a time is set by PUT /things/{id}/reminder, a day by the day list that the thing is in. For example "list": "today"'
    ],
    [
      "a camel-cased key",
      { text: "x", listRef: "1" },
      `listRef is not a known field: did you mean list_ref? For example "list_ref": "${exampleIds.list}"`
    ],
    [
      "a key near a read-only one",
      { text: "x", updatedd: 1 },
      'updatedd is not a known field: did you mean created? For example "created": "2026-11-20T08:00:00Z"'
    ],
    ["a fraction", { text: "x", tabs: 1.5 }, 'tabs must be an integer, not 1.5. For example "tabs": 1'],
    [
      "a negative indent",
      { text: "x", tabs: -1 },
      'tabs must be an integer from 0 to 1,000, not -1. For example "tabs": 1'
    ],
    [
      "an unknown type",
      { text: "x", type: "task" },
      'type must be one of "todo", "dash", "number", "bullet", "none", "photo", "note", not "task". For example "type": "todo"'
    ],
    [
      "a day that does not exist",
      { text: "x", created: "2026-02-30" },
      'created must be an ISO 8601 date or date-time between the years 0001 and 9999, not "2026-02-30". For example "created": "2026-11-20T08:00:00Z"'
    ],
    [
      "a script",
      { text: "x", url: "javascript:alert(1)" },
      'url must be a URL such as https://example.com (javascript:, data: and vbscript: are refused), not "javascript:alert(1)". For example "url": "https://example.com/oat-milk"'
    ],
    [
      "a relative photo",
      { photos: ["/a.png"] },
      'photos[0] must be an absolute http or https URL, not "/a.png". For example "photos": ["https://example.com/oat-milk.jpg"]'
    ],
    [
      "too many photos",
      { photos: Array.from({ length: 11 }, () => "https://a.b/c.png") },
      'photos must be an array of at most 10 photos, not an array of 11. For example "photos": ["https://example.com/oat-milk.jpg"]'
    ],
    [
      "U+0000",
      { text: "a\u0000b" },
      `text must be text without U+0000 and without lone surrogates, not "a\\u0000b". For example ${milk}`
    ],
    [
      "a lone surrogate",
      { text: "a\ud800b" },
      `text must be text without U+0000 and without lone surrogates, not "a\ufffdb". For example ${milk}`
    ],
    [
      "a text over the cap",
      { text: "x".repeat(10_001) },
      `text must be at most 10,000 characters long, not "${"x".repeat(60)}…" (10,001 characters). For example ${milk}`
    ]
  ] as const)("refuses %s", ([, value, expected]) =>
    Effect.gen(function* () {
      expect(yield* problem(thing, value)).toBe(expected)
    })
  )

  it.effect.each([[null], [5], ["text"], [[]]])("refuses a body that is not an object: %s", ([value]) =>
    Effect.gen(function* () {
      expect(yield* problem(thing, value)).toMatch(
        /^The body must be a JSON object, not (null|5|"text"|an array of 0). For example \{"text":"Oat /
      )
    })
  )

  it.effect("quotes an empty key in the message", () =>
    Effect.gen(function* () {
      expect(yield* problem(thing, { text: "x", "": 1 })).toMatch(/^"" is not a known field: known are text, /)
    })
  )

  it.effect("names the invalid item of a bulk request", () =>
    Effect.gen(function* () {
      const items = Array.from({ length: 40 }, (_, index) => (index === 37 ? { text: 1 } : { text: "x" }))
      expect(yield* problem(bulk, { items })).toBe(`items[37].text must be a string, not 1. For example ${milk}`)
    })
  )

  it.effect("refuses 501 items, 501 ids and 501 things", () =>
    Effect.gen(function* () {
      const many = <A>(value: A) => Array.from({ length: 501 }, () => value)
      expect(yield* problem(bulk, { items: many({ text: "x" }) })).toMatch(
        /^items must be an array of at most 500 items, not an array of 501. For example "items": \[\{/
      )
      expect(yield* problem(decodeInput(BulkUpdateInput), { ids: many("x"), set: {} })).toBe(
        `ids must be an array of at most 500 ids, not an array of 501. For example "ids": ["${exampleIds.thing}"]`
      )
      expect(yield* problem(decodeInput(CreateListInput), { title: "t", things: many({ text: "x" }) })).toMatch(
        /^things must be an array of at most 500 things, not an array of 501. For example "things": /
      )
    })
  )

  const long = (length: number) => "🦊".repeat(length)
  const address = (length: number) => `https://example.com/${"a".repeat(length - 20)}`
  const some = <A>(count: number, of: (index: number) => A) => Array.from({ length: count }, (_, index) => of(index))
  const reminder = decodeInput(SetReminderInput)
  const caps: ReadonlyArray<readonly [string, number, (at: number) => Effect.Effect<unknown, InvalidInput>]> = [
    ["text", 10_000, (length) => thing({ text: long(length) })],
    ["note", 1_000_000, (length) => thing({ text: "x", note: long(length) })],
    ["url", 8_192, (length) => thing({ text: "x", url: address(length) })],
    ["items", 500, (count) => bulk({ items: some(count, (at) => ({ text: `${at}` })) })],
    ["ids", 500, (count) => decodeInput(BulkUpdateInput)({ ids: some(count, String), set: {} })],
    [
      "things",
      500,
      (count) => decodeInput(CreateListInput)({ title: "x", things: some(count, () => ({ text: "x" })) })
    ],
    ["photos", 10, (count) => thing({ text: "x", photos: some(count, () => address(30)) })],
    ["photos[0]", 8_192, (length) => thing({ text: "x", photos: [address(length)] })],
    ["tags", 50, (count) => thing({ text: "x", tags: some(count, String) })],
    ["tags[0]", 100, (length) => thing({ text: "x", tags: [long(length)] })],
    ["tabs", 1_000, (tabs) => thing({ text: "x", tabs })],
    ["title", 1_000, (length) => decodeInput(CreateListInput)({ title: long(length) })],
    ["emoji", 100, (length) => decodeInput(CreateListInput)({ title: "x", emoji: long(length) })],
    ["markdown", 1_000_000, (length) => decodeInput(ImportMarkdownInput)({ markdown: long(length) })],
    ["every", 999, (every) => reminder({ at: "2026-12-01", repeat: "daily", every })],
    ["duration_minutes", 525_600, (minutes) => reminder({ at: "2026-12-01T09:00", duration_minutes: minutes })],
    ["alert_minutes", 525_600, (minutes) => reminder({ at: "2026-12-01T09:00", alert_minutes: minutes })],
    ["url", 2_000, (length) => decodeInput(CreateWebhookInput)({ url: address(length), events: ["operation"] })]
  ]
  it.effect("counts the https:// that a bare domain gets, and says so", () =>
    Effect.gen(function* () {
      const bare = (length: number) => `example.com/${"x".repeat(length - "https://example.com/".length)}`
      expect((yield* thing({ text: "x", url: bare(8_192) })).url).toHaveLength(8_192)
      const refused = yield* Effect.flip(thing({ text: "x", url: bare(8_193) }))
      expect(refused.message).toMatch(
        /^url must be at most 8,192 characters long with the https:\/\/ that it gets, not "example\.com\/x+…" \(8,185 characters\)/
      )
    })
  )

  it.effect.each(caps)("accepts %s up to %d, and names the limit when it is exceeded", ([field, cap, decoded]) =>
    Effect.gen(function* () {
      yield* decoded(cap)
      const refused = yield* Effect.flip(decoded(cap + 1))
      expect(refused.field).toBe(field)
      expect(refused.message.replaceAll(",", "")).toContain(String(cap))
    })
  )

  it.effect("counts characters as code points", () =>
    Effect.gen(function* () {
      expect((yield* thing({ text: "😀".repeat(10_000) })).text?.length).toBe(20_000)
      expect(yield* problem(thing, { text: "😀".repeat(10_001) })).toContain("at most 10,000")
    })
  )

  it.effect("quotes values and keys only in part, and no API key", () =>
    Effect.gen(function* () {
      const long = "y".repeat(1_000_000)
      expect((yield* problem(thing, { text: "x", tabs: long })).length).toBeLessThan(200)
      expect(yield* problem(thing, { text: "x", tabs: `${long} lat_abc_def` })).toContain("(1,000,012 characters)")
      expect(yield* problem(thing, { text: "x", tabs: "lat_4f9Kq2LmX0aB_secret" })).toContain('not "lat_…"')
      expect((yield* problem(thing, { text: "x", [long]: 1 })).length).toBeLessThan(600)
    })
  )

  it.effect("cuts long ids to 100 characters", () =>
    Effect.gen(function* () {
      const [long, cut] = [`${"😀".repeat(20_000)}1`, "😀".repeat(100)]
      expect((yield* decodeInput(BulkUpdateInput)({ ids: [long, exampleIds.thing], set: {} })).ids).toStrictEqual([
        cut,
        exampleIds.thing
      ])
      expect(yield* thing({ text: "x", list_id: long, list_ref: long })).toMatchObject({ listId: cut, listRef: cut })
    })
  )

  it.effect("accepts an object as it was read", () =>
    Effect.gen(function* () {
      const owner = AccountId.make(freshId())
      const home = fixtureList(owner, { sort: "modified" })
      const read = thingJson(fixtureThing(owner, home.id, { text: "x" }))
      expect((yield* thing(read)).listId).toBe(home.id)
      expect((yield* patch(read)).text).toBe("x")
      expect((yield* decodeInput(UpdateListInput)(listJson(home, "2026-11-21"))).sort).toBe("modified")
    })
  )

  it.effect("normalizes types, urls, photos and tags", () =>
    Effect.gen(function* () {
      const taken = yield* thing({
        text: "x",
        type: "note",
        url: "example.com/a",
        photos: [" https://example.com/a.png", "https://example.com/b.png\n"],
        tags: ["#Home", " home", "", "#work "]
      })
      expect(taken.type).toBe("none")
      expect(taken.url).toBe("https://example.com/a")
      expect(taken.photos).toStrictEqual(["https://example.com/a.png", "https://example.com/b.png"])
      expect(taken.tags).toStrictEqual(["Home", "work"])
    })
  )
})
