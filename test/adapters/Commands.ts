import * as fc from "fast-check"

/** One thing that one of two owners does, as plain data, so that it can be shrunk and printed. */
export interface Command {
  readonly operation: string
  /** Which owner; ids of either are used by both. */
  readonly owner: 0 | 1
  /** Milliseconds by which the clock moves before; backwards too. */
  readonly advance: number
  readonly args: ReadonlyArray<unknown>
}

/** Stands for an id that is known when the command runs. */
export interface Ref {
  readonly $: "list" | "thing" | "place"
  readonly at: number
}

const ref = ($: Ref["$"]): fc.Arbitrary<Ref> => fc.record({ $: fc.constant($), at: fc.nat(40) })

/** Mostly what a request may say, now and then what it must not. */
const mostly = <A>(good: fc.Arbitrary<A>, ...bad: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 24, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) })

const text = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom("milk", "Milk", "oatmilk", "buy milk", "**milk** run", "Straße", "STRASSE")
  },
  {
    weight: 20,
    arbitrary: fc.constantFrom("100%", "a_b", "\\", "🦊 fox", "#tag", "[milk](https://a.example)", "  x  ")
  },
  { weight: 5, arbitrary: fc.constantFrom("", " ", "x".repeat(300), "İı ΟΔΟΣ ς") },
  { weight: 10, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom("a\u0000b", "\ud800") }
)
const title = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("Groceries", "groceries", "Work", "Straße", "strasse", "2026-11-21", "today")
  },
  { weight: 1, arbitrary: text }
)
const day = fc.constantFrom("today", "tomorrow", "yesterday", "2026-11-21", "2026-11-22", "2027-02-28", "2026-11-20")
const name = fc.oneof({ weight: 2, arbitrary: title }, { weight: 1, arbitrary: day })
const time = mostly(
  fc.constantFrom(
    "2026-11-21T12:00:00Z",
    "2026-11-21T12:00:00.001Z",
    "2026-11-21T09:00:00",
    "2026-11-22",
    "2026-03-29T02:30:00",
    "2027-01-31T09:00:00+01:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z"
  ),
  "yesterday"
)
const zone = mostly(
  fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"),
  "Nowhere"
)
const tags = fc.array(
  fc.constantFrom("work", "Work", "WORK", "#home", "Äpfel", "apple", " ", "a,b", "résumé", "resume"),
  {
    maxLength: 4
  }
)
const url = mostly(
  fc.constantFrom("", "https://a.example", "https://b.example/x?y=%41", "a.example"),
  "javascript:alert(1)"
)
const type = fc.constantFrom("todo", "note", "dash", "number", "bullet", "none", "photo")
const sort = fc.constantFrom(
  "chronological",
  "reverse-chronological",
  "alphabetical",
  "reverse-alphabetical",
  "modified"
)
const markdown = fc
  .array(
    fc.constantFrom(
      "# Title",
      "## Part",
      "- [ ] milk",
      "- [x] milk",
      "  - [ ] nested **bold**",
      "    - deeper",
      "1. one",
      "> quoted",
      "```",
      "code",
      "---",
      "plain",
      "",
      "https://a.example"
    ),
    { maxLength: 10 }
  )
  .map((lines) => lines.join("\n"))

/** Some of these keys, seldom many. */
const partly = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .subarray(Object.keys(fields), { maxLength: Math.min(4, Object.keys(fields).length) })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, fields[key]!]))))

const flags = Object.fromEntries(
  ["bold", "italic", "underline", "header", "subheader", "quote", "code", "completed", "canceled", "favorited"].map(
    (flag) => [flag, fc.boolean()]
  )
)
const content = {
  type,
  url,
  tags,
  photos: fc.array(mostly(fc.constant("https://a.example/1.jpg"), "no photo"), { maxLength: 2 }),
  list_ref: fc.oneof(ref("list"), fc.constantFrom("", null)),
  tabs: fc.nat(3),
  note: text,
  ...flags
}
const target = { list_id: ref("list"), list: name }
const newThing = fc
  .tuple(text, partly({ ...content, ...target, created: time, clone_of: ref("thing") }))
  .map(([text, rest]) => ({ text, ...rest }))
const things = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: newThing },
    { weight: 1, arbitrary: ref("thing").map((clone_of) => ({ clone_of })) }
  ),
  { maxLength: 6 }
)
const thingPatch = partly({ text, ...content, ...target, occurrence: time })
const completing = fc.constantFrom({ completed: true }, { canceled: true }, { completed: false })
const bulkSet = fc.oneof(
  completing,
  partly({ type, url, tags, list_ref: ref("list"), tabs: fc.nat(3), ...flags, ...target })
)
const manyThings = fc.array(ref("thing"), { maxLength: 6 })
const reminder = fc
  .tuple(
    time,
    partly({
      all_day: fc.boolean(),
      duration_minutes: mostly(fc.constantFrom(0, 30, null), -1),
      end: fc.constantFrom("2026-11-21T13:00:00Z", "2026-11-21T10:00:00", null),
      repeat: fc.constantFrom("none", "daily", "weekly", "monthly", "yearly"),
      every: mostly(fc.constantFrom(1, 2, 999), 0),
      repeat_until: fc.constantFrom("2026-12-24", "2027-06-01T00:00:00Z", null),
      days: fc.array(fc.constantFrom("monday", "Sun", 3, "6"), { maxLength: 3 }),
      alert_minutes: fc.constantFrom(0, 10, null),
      color: mostly(fc.constantFrom("", "#ABC", "#00ff7f"), "red")
    })
  )
  .map(([at, rest]) => ({ at, ...rest }))

const operations: ReadonlyArray<readonly [weight: number, operation: string, ...ReadonlyArray<fc.Arbitrary<unknown>>]> =
  [
    [
      3,
      "lists.create",
      fc
        .tuple(title, partly({ emoji: text, sort, things, archived: fc.boolean() }))
        .map(([title, rest]) => ({ title, ...rest }))
    ],
    [
      1,
      "lists.importMarkdown",
      fc.tuple(markdown, partly({ title })).map(([markdown, rest]) => ({ markdown, ...rest }))
    ],
    [
      2,
      "lists.update",
      ref("list"),
      partly({ title, emoji: text, favorited: fc.boolean(), archived: fc.boolean(), sort })
    ],
    [1, "lists.remove", ref("list")],
    [1, "lists.page", fc.nat(1)],
    [2, "lists.view", ref("list")],
    [1, "lists.byName", name],
    [2, "lists.day", day],
    [1, "lists.markdown", ref("list")],
    [6, "things.create", newThing],
    [2, "things.clone", ref("thing"), ref("list")],
    [6, "things.update", ref("thing"), thingPatch],
    [4, "things.update", ref("thing"), completing],
    [2, "things.remove", ref("thing")],
    [1, "things.get", ref("thing")],
    [
      2,
      "things.page",
      partly({
        listId: ref("list"),
        completed: fc.boolean(),
        type: fc.constantFrom("todo", "none"),
        tag: fc.constantFrom("work", "#HOME", "résumé"),
        since: fc.constantFrom("2026-11-21", "2026-11-21T12:00:00.001Z", "0001-01-01T00:00:00Z"),
        sort: fc.constantFrom("created", "updated"),
        page: fc.nat(1)
      })
    ],
    [
      3,
      "bulk.create",
      fc
        .tuple(things, partly({ ...target, skip_duplicates: fc.boolean() }))
        .map(([items, rest]) => ({ items, ...rest }))
    ],
    [3, "bulk.update", manyThings, bulkSet],
    [1, "bulk.remove", manyThings],
    [
      1,
      "bulk.appendMarkdown",
      fc
        .tuple(markdown, partly({ ...target, skip_duplicates: fc.boolean() }))
        .map(([markdown, rest]) => ({ markdown, ...rest }))
    ],
    [6, "reminders.set", ref("thing"), reminder],
    [2, "reminders.setAtPlace", ref("thing"), fc.oneof(ref("place"), fc.constantFrom("Home", "HOME", "straße"))],
    [1, "reminders.remove", ref("thing")],
    [1, "reminders.upcoming"],
    [
      1,
      "reminders.between",
      partly({ from: fc.oneof(day, time), to: fc.oneof(day, time), limit: fc.integer({ min: 1, max: 3 }) })
    ],
    [1, "reminders.occurrences", ref("thing")],
    [1, "places.list"],
    [
      2,
      "places.save",
      fc
        .tuple(
          mostly(fc.constantFrom("Home", "home", "Straße", "STRASSE"), " "),
          partly({
            address: text,
            latitude: fc.constant(52.5),
            longitude: fc.constant(13.4),
            radius_m: mostly(fc.constant(50), 0)
          })
        )
        .map(([name, rest]) => ({ name, ...rest }))
    ],
    [1, "places.remove", ref("place")],
    [2, "search.search", fc.oneof(text, fc.constantFrom("milk", "strasse", "%", "_", "\\", "k", "bold"))],
    [1, "search.fetch", fc.oneof(ref("list"), ref("thing"))],
    [1, "tags.list"],
    [
      1,
      "accounts.update",
      partly({
        timezone: zone,
        defaultThingType: fc.constantFrom("todo", "bullet"),
        defaultReminderMinutes: fc.constantFrom(0, 45),
        repeatMovesToDay: fc.boolean(),
        email: fc.constantFrom("shared@example.com", "SHARED@example.com")
      })
    ],
    [1, "failing", newThing],
    [2, "records.once", fc.constantFrom("key 1", "key 2"), newThing]
  ]

const advance = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 1, 1_000) },
  { weight: 1, arbitrary: fc.constantFrom(86_400_000, 40 * 86_400_000, -3_600_000) }
)

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...operations.map(([weight, operation, ...args]) => ({
    weight,
    arbitrary: fc.record({
      operation: fc.constant(operation),
      owner: fc.oneof({ weight: 4, arbitrary: fc.constant<0 | 1>(0) }, { weight: 1, arbitrary: fc.constant<0 | 1>(1) }),
      advance,
      args: fc.tuple(...args)
    })
  }))
)

const byFirst = (operation: string, ...args: ReadonlyArray<unknown>): Command => ({
  operation,
  owner: 0,
  advance: 1,
  args
})
const repeating = { at: "2026-11-21T09:00:00", repeat: "daily" }

/** What every sequence begins with, so that there is something to work on. */
export const prelude: ReadonlyArray<Command> = [
  byFirst("lists.create", {
    title: "Groceries",
    things: ["milk", "buy milk", "**oat**milk"].map((text) => ({ text }))
  }),
  byFirst("lists.create", { title: "Work", things: [{ text: "plan", tags: ["Work"] }] }),
  byFirst("places.save", { name: "Home" }),
  byFirst("reminders.set", { $: "thing", at: 0 }, repeating),
  byFirst("reminders.set", { $: "thing", at: 1 }, { at: "2026-11-22T09:00:00" }),
  { ...byFirst("lists.create", { title: "Groceries", things: [{ text: "milk" }, { text: "eggs" }] }), owner: 1 }
]
