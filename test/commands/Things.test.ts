import { hostname } from "node:os"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import { middayZone } from "@lists-and-things/testing/Midday"
import { Effect } from "effect"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()

interface ThingJson {
  readonly created: string
  readonly id: string
  readonly text: string
}

beforeAll(async () => {
  await lat.json(["account", "create", "--email", "ann@example.com", "--timezone", middayZone])
})

afterAll(() => lat.close())

const add = (text: string, list: string) => lat.json<ThingJson>(["thing", "add", text, "--list", list])

const newList = async (title: string, texts: ReadonlyArray<string>): Promise<ReadonlyArray<ThingJson>> => {
  await lat.json(["list", "create", title])
  const made: Array<ThingJson> = []
  for (const text of texts) made.push(await add(text, title))
  return made
}

/** The short ids that a list shows, by the text of the line. */
const shown = async (title: string): Promise<ReadonlyMap<string, string>> => {
  const [, ...lines] = (await lat.run(["list", "show", title])).out.trimEnd().split("\n")
  return new Map(lines.map((line) => [line.replace(/^\S+ {2}/, ""), line.split(" ")[0]!]))
}

describe("a thing", () => {
  it("is named by words of its text, its short id, or its id", async () => {
    const [, bread, tea] = await newList("Named", ["Buy oatmeal", "Bake bread", "Drink tea"])
    const ids = await shown("Named")
    expect(await lat.output(["thing", "done", "buy", "OATMEAL"])).toBe(
      `Completed: Buy oatmeal (${ids.get("[ ] Buy oatmeal")})`
    )
    expect(await lat.output(["thing", "cancel", ids.get("[ ] Bake bread")!])).toMatch(/^Canceled: Bake bread/)
    expect(await lat.output(["thing", "done", tea!.id])).toBe("Completed 1 thing.")
    expect([...(await shown("Named")).keys()]).toStrictEqual(["[x] Buy oatmeal", "[-] Bake bread", "[x] Drink tea"])
    expect(await lat.output(["thing", "reopen", "bread"])).toMatch(/^Opened: Bake bread/)
    expect(await lat.output(["thing", "done", "oatmeal", "--undo"])).toMatch(/^Opened: Buy oatmeal/)
    const several = ["thing", "done", bread!.id, ids.get("[ ] Buy oatmeal")!]
    expect(await lat.json(several)).toStrictEqual({ updated: 2, skipped: 0 })
    expect(await lat.output(["thing", "reopen", "buy oatmeal", "drink tea"])).toBe("Opened 2 things.")
  })

  it("is not taken for another one whose id begins with the same letters, fewer than are shown", async () => {
    const large = ["--account", "large@example.com"]
    await lat.json(["account", "create", "--email", "large@example.com"])
    const input = Array.from({ length: 300 }, (_, at) => `- [ ] Line ${at}\n`).join("")
    await lat.run(["import", "-", "--title", "Large", ...large], { input })
    const { things } = await lat.json<{ readonly things: ReadonlyArray<ThingJson> }>([
      "list",
      "show",
      "Large",
      ...large
    ])
    const beginning = ({ id }: ThingJson) => id.slice(24, 28)
    const one = things.find((thing) => things.filter((other) => beginning(other) === beginning(thing)).length === 1)
    const word = beginning(one!)
    const alone = await lat.output(["thing", "cancel", word, ...large])
    await lat.json(["thing", "reopen", one!.id, ...large])
    await lat.json(["thing", "add", `Read ${word}`, "--list", "Large", ...large])
    const refused = await lat.run(["thing", "done", word, ...large])
    const shorter = await lat.output(["thing", "done", one!.id.slice(24, 29), ...large])
    await lat.json(["account", "delete", "large@example.com", "--yes"])
    expect([alone, shorter]).toStrictEqual([
      `Canceled: ${one!.text} (${one!.id.slice(24, 29)})`,
      expect.stringContaining(one!.text)
    ])
    expect([refused.code, refused.err]).toStrictEqual([
      1,
      expect.stringMatching(/ fits several things, and nothing was done/)
    ])
    expect(refused.err).toContain(`Read ${word}  (Large)`)
    expect(refused.err).toContain(`${one!.text}  (Large)`)
  })

  it("with a repeating reminder says, when completed, when it comes again", async () => {
    const [plants] = await newList("Weekly", ["Water plants"])
    await lat.json(["remind", "water plants", "2031-01-04", "9:00", "--repeat", "weekly"])
    const done = await lat.run(["thing", "done", plants!.id])
    expect([done.code, done.out]).toStrictEqual([0, "Completed 1 thing.\n"])
    expect(done.err).toBe("Comes again: 'Water plants' (Saturday 2031-01-11 09:00).\n")
    await lat.json(["remind", "water plants", "--off"])
  })

  it("is listed with the others if the words fit several, and nothing is done", async () => {
    await newList("Alike", ["Peel apples", "Cut apples"])
    const ids = await shown("Alike")
    const refused = await lat.run(["thing", "done", "apples"])
    expect([refused.code, refused.out]).toStrictEqual([1, ""])
    expect(refused.err).toBe(
      [
        "lat: 'apples' fits several things, and nothing was done. Name one by its short id:",
        `  ${ids.get("[ ] Cut apples")}  Cut apples  (Alike)`,
        `  ${ids.get("[ ] Peel apples")}  Peel apples  (Alike)`,
        ""
      ].join("\n")
    )
    const some = await lat.run(["thing", "done", "cut apples", "the apples"])
    expect(some.err).toMatch(/No open thing has the words 'the apples'\. Closest: '(Peel|Cut) apples'/)
    expect(await shown("Alike")).toStrictEqual(ids)
  })

  it("is edited, moved and deleted by words of its text", async () => {
    await newList("Changed", ["Write letter", "Post letter"])
    const edited = await lat.json([
      ...["thing", "edit", "write", "letter", "--text", "Write the letter", "--tag", "mail", "--tag", "ann"],
      ...["--note", "By hand.", "--type", "bullet", "--favorited", "true"]
    ])
    expect(edited).toMatchObject({
      text: "Write the letter",
      tags: ["mail", "ann"],
      note: "By hand.",
      type: "bullet",
      favorited: true
    })
    const note = await lat.json(["thing", "edit", "write the letter", "--note", "-"], { input: "By\r\nhand.\n" })
    expect(note).toMatchObject({ note: "By\nhand." })
    await lat.json(["thing", "edit", "write the letter", "--note", "By hand."])
    expect(await lat.json(["thing", "edit", "write the letter", "--tag", ""])).toMatchObject({
      tags: [],
      note: "By hand."
    })
    expect((await lat.run(["thing", "edit", "post letter"])).err).toContain("name at least one change")
    expect(await lat.output(["thing", "move", "post", "letter", "--to", "today"])).toMatch(/^Moved: Post letter/)
    expect(await lat.output(["today"])).toContain("[ ] Post letter")
    expect((await lat.run(["thing", "delete", "post letter"])).err).toMatch(/Deleting Post letter \(\w+\).*--yes/)
    expect(await lat.output(["thing", "delete", "post letter", "--yes"])).toMatch(/^Deleted: Post letter/)
    expect((await lat.run(["thing", "delete", "post letter", "--yes"])).code).toBe(1)
  })
})

describe("a thing", () => {
  it("is shown with all its fields", async () => {
    const [boat] = await newList("Shown", ["Paint the boat"])
    await lat.output(["thing", "edit", boat!.id, "--tag", "summer", "--tag", "red paint", "--url", "example.com"])
    await lat.output(["thing", "edit", boat!.id, "--note", "Sand it\nfirst.", "--favorited", "true"])
    await lat.output(["remind", "paint the boat", "2031-01-04", "9:00", "--repeat", "weekly"])
    const short = (await shown("Shown")).values().next().value!
    const lines = (await lat.output(["thing", "show", "paint", "the", "boat"])).split("\n")
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d/)
    expect(lines[0]).toBe("Paint the boat")
    expect(lines.slice(1, -3).map((line) => line.split(/ {2,}/))).toStrictEqual([
      ["id", `${boat!.id} (${short})`],
      ["list", "Shown"],
      ["state", "open, starred"],
      ["tags", "#summer #red paint"],
      ["link", "https://example.com"],
      ["reminder", `every week on Saturday at 09:00, ${middayZone}`],
      ["then", "2031-01-11 09:00, 2031-01-18 09:00"],
      ["created", time],
      ["changed", time]
    ])
    expect(lines.slice(-3)).toStrictEqual(["", "Sand it", "first."])
    const { reminder, thing } = await lat.json<Record<"reminder" | "thing", object>>(["thing", "show", short])
    expect([thing, reminder]).toMatchObject([{ id: boat!.id, favorited: true }, { thing_id: boat!.id }])
    expect([...(await shown("Shown")).keys()].map((line) => line.trim())).toStrictEqual([
      "[ ] Paint the boat https://example.com  #summer #red paint  (2031-01-04 09:00, every week)",
      "Sand it",
      "first."
    ])
    await lat.output(["remind", "paint the boat", "--off"])
  })

  it("is listed by tag, list, state and time of change", async () => {
    const [rake, sow] = await newList("Garden", ["Rake leaves", "Sow beans"])
    for (const { id } of [rake!, sow!]) await lat.output(["thing", "edit", id, "--tag", "garden"])
    await lat.output(["thing", "done", sow!.id])
    const listed = async (...words: ReadonlyArray<string>) =>
      (await lat.json<ReadonlyArray<ThingJson>>(["thing", "list", ...words])).map(({ text }) => text)
    expect(await listed("--tag", "garden")).toStrictEqual(["Sow beans", "Rake leaves"])
    expect(await listed("--tag", "garden", "--completed", "false")).toStrictEqual(["Rake leaves"])
    expect(await listed("--list", "garden", "--sort", "updated")).toStrictEqual(["Sow beans", "Rake leaves"])
    expect(await listed("--list", "garden", "--since", "tomorrow")).toStrictEqual([])
    const sinceAdded = ["--list", "garden", "--since", sow!.created]
    expect(await listed(...sinceAdded)).toStrictEqual([])
    expect(await listed(...sinceAdded, "--sort", "updated")).toStrictEqual(["Sow beans", "Rake leaves"])
    expect(await lat.output(["thing", "add", "Mow", "--list", "garden"])).toMatch(
      /^Added: Mow \([0-9a-f]{4}\), in Garden$/
    )
    const blank = await lat.run(["thing", "edit", "mow", "--text", ""])
    expect([blank.code, blank.err]).toStrictEqual([2, expect.stringMatching(/ For example --text 'Oat milk'\n$/)])
    const [heads, row] = (await lat.output(["thing", "list", "--tag", "garden"]))
      .split("\n")
      .map((line) => line.split(/ {2,}/))
    expect(heads).toStrictEqual(["ID", "KIND", "TEXT", "TAGS", "IN", `CHANGED (${middayZone})`])
    expect(row!.slice(1, 5)).toStrictEqual(["done", "Sow beans", "#garden", "Garden"])
    expect(await lat.output(["thing", "list", "--list", "garden", "--page", "1"])).toBe(
      "Page 1 is beyond the last page; the first one is 0."
    )
    expect(await lat.json(["tags"])).toContainEqual({ name: "garden", count: 2, color: expect.any(String) })
    expect((await lat.output(["tags"])).split("\n")[0]).toMatch(/^TAG +THINGS$/)
    const unknown = await lat.run(["thing", "list", "--tag", "gardn"])
    expect([unknown.out, unknown.err]).toStrictEqual([
      "There is no such thing.\n",
      "No thing has the tag 'gardn'. Closest: 'garden'.\n"
    ])
  })

  it("of another list that is due on the day, or overdue, is shown below today's list", async () => {
    await newList("Elsewhere", ["Pay the bill", "Bring it back", "Not now"])
    const day = (await lat.json<{ readonly date: string }>(["today"])).date
    await lat.json(["remind", "pay the bill", `${day}T23:59`])
    await lat.json(["remind", "bring it back", "2026-01-02", "8:00"])
    await lat.json(["remind", "not now", "2031-01-02"])
    expect(await lat.output(["today"])).toMatch(
      new RegExp(
        `^Due on this day, in other lists\n\\w+  \\[ \\] Pay the bill  \\(${day} 23:59\\)  in Elsewhere\n\nOverdue\n\\w+  \\[ \\] Bring it back  \\(2026-01-02 08:00\\)  in Elsewhere$`,
        "m"
      )
    )
    await lat.output(["thing", "add", "Left over", "--list", "today"])
    await lat.json(["remind", "left over", "2026-01-02", "8:00"])
    expect((await lat.output(["today"])).match(/Left over/g)).toHaveLength(1)
    expect(await lat.output(["today", "--date", "2031-01-02"])).toMatch(
      /in other lists\n\w+ {2}\[ \] Not now .*in Elsewhere$/
    )
    for (const text of ["pay the bill", "bring it back", "not now", "left over"])
      await lat.output(["remind", text, "--off"])
  })
})

describe("a list", () => {
  it("is renamed, starred and sorted", async () => {
    await newList("Foood", ["Bread", "Apples"])
    const words = ["list", "edit", "Foood", "--title", "Food", "--emoji", "🥕", "--favorited", "true"]
    expect(await lat.json([...words, "--sort", "alphabetical"])).toMatchObject({
      title: "Food",
      emoji: "🥕",
      favorited: true,
      sort: "alphabetical"
    })
    expect([...(await shown("Food")).keys()]).toStrictEqual(["[ ] Apples", "[ ] Bread"])
    expect(await lat.output(["list", "edit", "Food", "--emoji", ""])).toMatch(/^Changed the list Food \(/)
    const nothing = await lat.run(["list", "edit", "Food"])
    expect([nothing.code, nothing.err]).toStrictEqual([2, expect.stringContaining("name at least one change")])
    const blank = await lat.run(["list", "edit", "Food", "--title", " "])
    expect([blank.code, blank.err]).toStrictEqual([2, expect.stringMatching(/^lat: --title must /)])
  })

  it("is shown with its emoji, numbers per level and notes below their things, or says that it is empty", async () => {
    await lat.quiet(["list", "create", "Pizza", "--emoji", "🍕"])
    expect(await lat.output(["list", "show", "Pizza"])).toBe("🍕 Pizza\n(nothing here yet)")
    const input = "1. Knead\n   - Flour\n2. Rest\n   1. Cover\n   2. Wait\n3. Bake\n- Eat\n1. Wash\n"
    await lat.quiet(["import", "-", "--list", "Pizza"], { input })
    await lat.quiet(["thing", "edit", "eat", "--note", "Hot."])
    const [title, ...lines] = (await lat.output(["list", "show", "Pizza"])).split("\n")
    const width = lines[0]!.indexOf("1. Knead")
    expect([title, ...lines.map((line) => line.slice(width))]).toStrictEqual([
      ...["🍕 Pizza", "1. Knead", "  - Flour", "2. Rest", "  1. Cover", "  2. Wait", "3. Bake"],
      ...["- Eat", "    Hot.", "1. Wash"]
    ])
  })

  it("receives the things of imported documents", async () => {
    await newList("Inbox", ["First"])
    const input = "# Plan\n- [ ] Second\n  - [x] Third\n"
    const added = await lat.run(["import", "-", "--list", "Inbox"], { input })
    expect([added.code, added.out]).toStrictEqual([0, "Added 3 things to Inbox.\n"])
    expect([...(await shown("Inbox")).keys()]).toStrictEqual(["[ ] First", "# Plan", "[ ] Second", "  [x] Third"])
    await lat.run(["import", "-", "--list", "2031-05-06"], { input: "- [ ] On the day\n" })
    expect(await lat.output(["today", "--date", "2031-05-06"])).toContain("[ ] On the day")
    const unknown = await lat.run(["import", "-", "--list", "Outbox"], { input })
    expect([unknown.code, unknown.err]).toStrictEqual([2, expect.stringMatching(/^lat: --list must name a list\./)])
    const both = await lat.run(["import", "-", "--list", "Inbox", "--title", "Plan"], { input })
    expect([both.code, both.err]).toStrictEqual([2, expect.stringContaining("--title and --list exclude each other")])
  })
})

describe("search", () => {
  it("shows lists and things with kind, list and local time, and prints the API's answer with --json", async () => {
    const [soup] = await newList("Soup recipes", ["Tomato soup"])
    await lat.json(["thing", "done", soup!.id])
    const { short } = { short: (await shown("Soup recipes")).get("[x] Tomato soup") }
    const lines = (await lat.output(["search", "SOUP"])).split("\n").map((line) => line.split(/ {2,}/))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(lines).toStrictEqual([
      ["ID", "KIND", "TEXT", "IN", `CHANGED (${middayZone})`],
      ["", "list", "Soup recipes", time],
      [short, "done", "Tomato soup", "Soup recipes", time]
    ])
    const found = await lat.json<Record<string, unknown>>(["search", "tomato", "soup"])
    expect(found).toMatchObject({ query: "tomato soup", lists: [], things: [{ id: soup!.id }], has_more: false })
    expect((await lat.run(["search", "soup", "--quiet"])).out).toContain(soup!.id)
    expect(await lat.output(["search", "xyzzy"])).toBe("Nothing matches 'xyzzy'.")
    expect((await lat.run(["search", " "])).code).toBe(2)
  })

  it("has links to the server that runs with --json", async () => {
    const [stew] = await newList("Stews", ["Lentil stew"])
    const link = async (env = {}) =>
      (await lat.json<{ readonly results: ReadonlyArray<{ readonly url: string }> }>(["search", "lentil"], { env }))
        .results[0]!.url
    expect(await link()).toBe(`http://localhost:3000/things/${stew!.id}`)
    await lat.ask(
      Effect.gen(function* () {
        const now = yield* currentTime
        const place = { machine: hostname(), host: "127.0.0.1", port: 4210, url: "http://localhost:4210" }
        yield* (yield* ServerStore).put({ ...place, started: now, seen: now, stopped: null })
      })
    )
    expect(await link()).toBe(`http://localhost:4210/things/${stew!.id}`)
    expect(await link({ PUBLIC_URL: "https://lists.example.com" })).toBe(`https://lists.example.com/things/${stew!.id}`)
  })
})

describe("an invalid value", () => {
  it("is reported under the name of its option or argument", async () => {
    await newList("Twins", ["Feed the twins"])
    await newList("twins", [])
    const failed = async (words: ReadonlyArray<string>) => {
      const { code, err } = await lat.run(words)
      return [code, err]
    }
    const move = ["thing", "move", "feed the twins", "--to"]
    expect(await failed([...move, "Nowhere at all"])).toStrictEqual([
      2,
      expect.stringMatching(/^lat: --to must name a list\. No list is named 'Nowhere at all'/)
    ])
    expect(await failed(["thing", "edit", "feed the twins", "--tag", "x".repeat(1_001)])).toStrictEqual([
      2,
      expect.stringMatching(/^lat: --tag must be at most [^]* For example --tag /)
    ])
    expect(await failed(["list", "show", "TWINS"])).toStrictEqual([
      1,
      expect.stringMatching(/^lat: list 'TWINS' fits 2 lists: .*; name one by its id\.\n/)
    ])
  })
})

describe("deleting a list", () => {
  it("asks first, is not called final, and can be undone with its things", async () => {
    const [thing] = await newList("To be gone", ["Come back"])
    const asked = await lat.run(["list", "delete", "To be gone"])
    expect([asked.code, asked.err]).toStrictEqual([
      2,
      "lat: Deleting the list To be gone with 1 thing: confirm with --yes\n"
    ])
    const askedAgain = await lat.run(["thing", "delete", "come back"])
    expect([askedAgain.code, askedAgain.err]).toStrictEqual([2, expect.not.stringContaining("cannot be undone")])
    await lat.output(["list", "delete", "To be gone", "--yes"])
    await lat.output(["undo", "--yes"])
    const { things } = await lat.json<{ things: ReadonlyArray<ThingJson> }>(["list", "show", "To be gone"])
    expect(things.map(({ id }) => id)).toStrictEqual([thing!.id])
  })
})
