import * as fc from "fast-check"

/** Stands for an id that is chosen when the command runs. */
export interface Ref {
  readonly $: "list" | "thing" | "place"
  readonly at: number
}

export const ref = ($: Ref["$"]): fc.Arbitrary<Ref> => fc.record({ $: fc.constant($), at: fc.nat(40) })

/** Usually a valid value, sometimes an invalid one. */
export const mostly = <A>(good: fc.Arbitrary<A>, ...bad: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 24, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) })

/** Letters with several cases, compositions or orders, and wildcard characters of a search. */
export const odd = fc.constantFrom(
  "ﬁne Fine FINE",
  "ẞ ß ss SS",
  "\u212b \u00c5 A\u030a",
  "\ud55c \u1112\u1161\u11ab",
  "ǅ ǆ Ǆ",
  "Ꭰ ꭰ",
  "\u{10400} \u{10428}",
  "\u0001a\u0002b\u0003",
  "a\u2028b\r\nc",
  "\ufeffx\u200b",
  "ᾳ ΑΙ α\u0345",
  "résumé re\u0301sume\u0301"
)

export const text = fc.oneof(
  { weight: 8, arbitrary: odd },
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
export const title = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("Groceries", "groceries", "Work", "Straße", "strasse", "2026-11-21", "today")
  },
  { weight: 1, arbitrary: text }
)
export const day = fc.constantFrom(
  "today",
  "tomorrow",
  "yesterday",
  "2026-11-21",
  "2026-11-22",
  "2027-02-28",
  "2026-11-20"
)
export const name = fc.oneof({ weight: 2, arbitrary: title }, { weight: 1, arbitrary: day })
export const time = mostly(
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
export const zone = mostly(
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
export const sort = fc.constantFrom(
  "chronological",
  "reverse-chronological",
  "alphabetical",
  "reverse-alphabetical",
  "modified"
)
export const markdown = fc
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

/** A record with some of these keys, seldom many. */
export const partly = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
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
export const target = { list_id: ref("list"), list: name }
export const newThing = fc
  .tuple(text, partly({ ...content, ...target, created: time, clone_of: ref("thing") }))
  .map(([text, rest]) => ({ text, ...rest }))
export const things = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: newThing },
    { weight: 1, arbitrary: ref("thing").map((clone_of) => ({ clone_of })) }
  ),
  { maxLength: 6 }
)
export const thingPatch = partly({ text, ...content, ...target, occurrence: time })
export const completing = fc.constantFrom({ completed: true }, { canceled: true }, { completed: false })
export const bulkSet = fc.oneof(
  completing,
  partly({ type, url, tags, list_ref: ref("list"), tabs: fc.nat(3), ...flags, ...target })
)
export const manyThings = fc.array(ref("thing"), { maxLength: 6 })
export const reminder = fc
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
