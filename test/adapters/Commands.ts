import * as fc from "fast-check"
import {
  bulkSet,
  completing,
  day,
  manyThings,
  markdown,
  mostly,
  name,
  newThing,
  odd,
  partly,
  ref,
  reminder,
  sort,
  target,
  text,
  thingPatch,
  things,
  time,
  title,
  zone
} from "./Values.ts"

/** An operation that one of two owners runs, as plain data, so that it can be shrunk and printed. */
export interface Command {
  readonly operation: string
  /** Which of two owners; each also uses ids of the other. */
  readonly owner: 0 | 1
  /** Milliseconds by which the clock moves before the command; may be negative. */
  readonly advance: number
  readonly args: ReadonlyArray<unknown>
  /** Who makes the call; the first key by default. */
  readonly by?: "app" | "key"
}

type Choice = readonly [weight: number, operation: string, ...args: ReadonlyArray<fc.Arbitrary<unknown>>]

const stored: ReadonlyArray<Choice> = [
  [
    3,
    "lists.create",
    fc
      .tuple(title, partly({ emoji: text, sort, things, archived: fc.boolean() }))
      .map(([title, rest]) => ({ title, ...rest }))
  ],
  [1, "lists.importMarkdown", fc.tuple(markdown, partly({ title })).map(([markdown, rest]) => ({ markdown, ...rest }))],
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
    fc.tuple(things, partly({ ...target, skip_duplicates: fc.boolean() })).map(([items, rest]) => ({ items, ...rest }))
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
  [2, "search.search", fc.oneof(text, odd, fc.constantFrom("milk", "strasse", "%", "_", "\\", "k", "bold"))],
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

const key = fc.constantFrom("key 1", "key 2", "key 3")
const by = fc.constantFrom("key", "app")
const webhookBody = partly({
  url: fc.constantFrom("https://h.example/1", "https://h.example/2"),
  events: fc.subarray(["reminder.due", "operation"], { minLength: 1 }),
  format: fc.constantFrom("standard", "ntfy", "slack"),
  description: text,
  enabled: fc.boolean()
})
const at = fc.nat(9)

const ofCallers: ReadonlyArray<Choice> = [
  [
    2,
    "operations.page",
    partly({
      byId: by,
      listId: ref("list"),
      thingId: ref("thing"),
      since: fc.nat(30_000).map((ms) => 1_795_262_400_000 + ms)
    })
  ],
  [2, "operations.view", at],
  [5, "undo.undo", at],
  [3, "undo.newest", by],
  [2, "undo.all", by, fc.nat(30_000).map((ms) => 1_795_262_400_000 + ms)],
  [1, "history.erase", at],
  [4, "changes.read", fc.constantFrom("start", "now", "last", "last"), fc.constantFrom(1, 2, 3, 7, 100)],
  [4, "things.updateIf", ref("thing"), fc.nat(2), thingPatch],
  [1, "things.removeIf", ref("thing"), fc.nat(2)],
  [2, "things.updateStale", ref("thing"), thingPatch, thingPatch],
  [1, "things.removeIfUnchanged", ref("thing")],
  [3, "things.createKeyed", key, newThing],
  [3, "things.updateKeyed", key, ref("thing"), fc.oneof(thingPatch, completing)],
  [1, "things.removeKeyed", key, ref("thing")],
  [2, "reminders.setKeyed", key, ref("thing"), reminder],
  [1, "reminders.removeKeyed", key, ref("thing")],
  [1, "tags.ofList", ref("list")],
  [1, "webhooks.list"],
  [
    2,
    "webhooks.create",
    webhookBody.map((body) => ({ url: "https://h.example/0", events: ["operation", "reminder.due"], ...body }))
  ],
  [2, "webhooks.update", at, webhookBody],
  [1, "webhooks.rotate", at],
  [1, "webhooks.remove", at],
  [1, "webhooks.test", at],
  [1, "webhooks.deliveries", at, fc.nat(1)],
  [1, "webhooks.replay", at, at],
  [1, "webhooks.replaySince", at, fc.constantFrom("2026-11-21", "2026-11-22T12:00:00Z", "0001-01-01T00:00:00Z")],
  [3, "announce"],
  [3, "attempt", fc.array(fc.nat(4), { minLength: 1, maxLength: 4 })],
  [1, "keys.create", text, fc.subarray(["read:lists", "read:things", "write:things"]), fc.integer({ min: 1, max: 3 })],
  [1, "keys.list"],
  [1, "keys.revoke", at],
  [2, "keys.admit", at, fc.constantFrom("read:lists", "write:things")],
  [1, "housekeeping"]
]

/** The commands for dry runs. */
const tried = stored
  .filter(
    ([, operation]) => !/page|view|list$|search|upcoming|between|occurrences|accounts|failing|once/.test(operation)
  )
  .map(([, operation, ...args]) => fc.tuple(fc.constant(operation), fc.tuple(...args)))

const operations: ReadonlyArray<Choice> = [
  ...stored,
  ...ofCallers,
  [
    1,
    "bulk.create",
    fc
      .constantFrom(49, 50, 51, 101)
      .map((many) => ({ list: "today", items: Array.from({ length: many }, (_, n) => ({ text: `many ${n}` })) }))
  ]
]

const advance = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 1, 1_000) },
  { weight: 1, arbitrary: fc.constantFrom(86_400_000, 40 * 86_400_000, -3_600_000) }
)

const owner = fc.oneof({ weight: 4, arbitrary: fc.constant<0 | 1>(0) }, { weight: 1, arbitrary: fc.constant<0 | 1>(1) })

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ operation: fc.constant("dryRun"), owner, advance, args: fc.oneof(...tried) })
  },
  ...operations.map(([weight, operation, ...args]) => ({
    weight,
    arbitrary: fc.record({
      operation: fc.constant(operation),
      owner,
      advance,
      by,
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

/** The commands with which every sequence begins, so that there is data to work on. */
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
