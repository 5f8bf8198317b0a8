import { assert, describe, it } from "@effect/vitest"
import { ListId } from "../../src/Ids.ts"
import { closestLists } from "../../src/lists/ClosestLists.ts"
import type { ListTitle } from "../../src/ports/ListStore.ts"
import { runStepsSync } from "../../src/Yielding.ts"

const listsOf = (titles: ReadonlyArray<string>): ReadonlyArray<ListTitle> =>
  titles.map((title, at) => ({ id: ListId.make(String(at)), title }))

const closest = (name: string, titles: ReadonlyArray<string>) =>
  runStepsSync(closestLists(name, listsOf(titles))).map(({ title }) => title)

describe("the lists that an unknown name may mean", () => {
  it("have its words, in any order and case", () => {
    const titles = ["Work", "Trip to Lisbon", "Stripes", "Round TRIP"]
    assert.deepStrictEqual(closest("trip", titles), ["Trip to Lisbon", "Round TRIP"])
    assert.deepStrictEqual(closest("lisbon trip", titles), ["Trip to Lisbon", "Round TRIP"])
    assert.deepStrictEqual(closest("reise", ["Große Reise nach Wien", "Arbeit"]), ["Große Reise nach Wien"])
    assert.deepStrictEqual(closest("GROSSE", ["Große Reise nach Wien"]), ["Große Reise nach Wien"])
  })

  it("are near by their letters", () => {
    assert.deepStrictEqual(closest("Groceris", ["Work", "Groceries", "Grocery"]), ["Groceries", "Grocery"])
    assert.deepStrictEqual(closest("to-do", ["ToDo", "Work"]), ["ToDo"])
  })

  it("are none that only share a little word, and none that are far", () => {
    assert.deepStrictEqual(closest("ideas for the garden", ["The office", "Work for me", "Plans"]), [])
    assert.deepStrictEqual(closest("Today", ["Work", "x".repeat(1_000)]), [])
    assert.deepStrictEqual(closest("", ["Work", "a"]), [])
    assert.deepStrictEqual(closest("!?", ["Work", "ab"]), [])
  })

  it("are five at most, of equally good ones the first", () => {
    const titles = Array.from({ length: 9 }, (_, at) => `Trip ${at}`)
    assert.deepStrictEqual(closest("trip", titles), titles.slice(0, 5))
    assert.deepStrictEqual(closest("trip 8", titles)[0], "Trip 8")
  })

  it("take one step a list", () => {
    let steps = 0
    for (const _ of closestLists("a list", listsOf(Array.from({ length: 300 }, (_, at) => `List ${at}`)))) steps++
    assert.strictEqual(steps, 300)
  })
})
