import { describe, expect, it } from "@effect/vitest"
import { doneIn, givenServer, signedIn } from "./Given.ts"

const server = givenServer()

describe("lists in the browser", () => {
  it("take lines in the markdown of the import; plain lines have the account's kind", async () => {
    const { browser, rest, send } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Any" })
    const path = `/lists/${list.id}`
    const added = await send(path, `${path}/add`, {
      markdown: "Milk\r\n- [x] Bread\r\n  - [ ] Rye\r\n# Later\r\n1. One\r\n2. Two\r\n> Said"
    })
    expect(doneIn(added.page)).toBe("Added 7 things (“Milk”, “Bread”, “Rye” and 4 more) to “Any”.")
    const { things } = await rest("GET", path)
    expect(
      things.map((thing: { text: string; type: string; tabs: number }) => [thing.text, thing.type, thing.tabs])
    ).toStrictEqual([
      ["Milk", "todo", 0],
      ["Bread", "todo", 0],
      ["Rye", "todo", 1],
      ["Later", "none", 0],
      ["One", "number", 0],
      ["Two", "number", 0],
      ["Said", "none", 0]
    ])
    expect(things[1].completed).toBe(true)
    const { text } = await browser.get(path)
    expect(text).toMatch(/>1\.<\/span>.*One.*>2\.<\/span>.*Two/s)
    expect(text).toContain("1 of 3 done")
  })

  it("are made from pasted lines: a title, and below it one thing per line, also below an item", async () => {
    const { browser, rest, send } = await signedIn(server())
    const made = await send("/lists", "/lists/new", { title: "# Shop \r\nMilk\r\n• Bread\r\n\r\n☐ Salt\r\nOil" })
    expect(doneIn(made.page)).toBe("Created the list “Shop” with 4 things.")
    const path = new URL(made.at).pathname
    await send(path, `${path}/add`, { markdown: "2) Rice\r\nTea\r\n[x] Jam" })
    const { list, things } = await rest("GET", path)
    expect(list.title).toBe("Shop")
    expect(things.map(({ text, type }: { text: string; type: string }) => [text, type])).toStrictEqual([
      ["Milk", "todo"],
      ["Bread", "bullet"],
      ["Salt", "todo"],
      ["Oil", "todo"],
      ["Rice", "number"],
      ["Tea", "todo"],
      ["Jam", "todo"]
    ])
    const long = (await browser.get("/lists")).form("/lists/new")
    long.set("title", "x".repeat(1_001))
    expect((await browser.post("/lists/new", long)).text).toContain("Title must be")
  })

  it("take tags at the end of a line that is typed alone", async () => {
    const { rest, send } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Any" })
    const path = `/lists/${list.id}`
    for (const markdown of ["Milk #shop #Home", "- [x] Bread #shop\n", "Rye #shop\nOats #shop", "`Code` of #12"])
      await send(path, `${path}/add`, { markdown })
    const { things } = await rest("GET", path)
    const tagged = things.map(({ tags, text }: { tags: ReadonlyArray<string>; text: string }) => [text, tags])
    expect(tagged).toStrictEqual([
      ["Milk", ["shop", "Home"]],
      ["Bread", ["shop"]],
      ["Rye #shop", []],
      ["Oats #shop", []],
      ["`Code` of #12", []]
    ])
  })
})
