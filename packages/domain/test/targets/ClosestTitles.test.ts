import { describe, expect, it } from "@effect/vitest"
import { ListId } from "../../src/model/Ids.ts"
import { closestTitles } from "../../src/targets/ClosestTitles.ts"
import type { ListTitle } from "../../src/ports/ListStore.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const listsOf = (titles: ReadonlyArray<string>): ReadonlyArray<ListTitle> =>
  titles.map((title, at) => ({ id: ListId.make(String(at)), title }))

const closest = (name: string, titles: ReadonlyArray<string>) =>
  runStepsSync(closestTitles(name, listsOf(titles))).map(({ title }) => title)

describe("the lists suggested for an unknown name", () => {
  it("contain one of its words, in any order and case", () => {
    const titles = ["Work", "Trip to Lisbon", "Stripes", "Round TRIP"]
    expect(closest("trip", titles)).toStrictEqual(["Trip to Lisbon", "Round TRIP"])
    expect(closest("lisbon trip", titles)).toStrictEqual(["Trip to Lisbon", "Round TRIP"])
    expect(closest("reise", ["Große Reise nach Wien", "Arbeit"])).toStrictEqual(["Große Reise nach Wien"])
    expect(closest("GROSSE", ["Große Reise nach Wien"])).toStrictEqual(["Große Reise nach Wien"])
  })

  it("have a similar spelling", () => {
    expect(closest("Groceris", ["Work", "Groceries", "Grocery"])).toStrictEqual(["Groceries", "Grocery"])
    expect(closest("to-do", ["ToDo", "Work"])).toStrictEqual(["ToDo"])
  })

  it("begin with the name, or have a word that does", () => {
    const titles = ["Weekly groceries", "Groceries", "Work", "Allgrocers"]
    expect(closest("groc", titles)).toStrictEqual(["Groceries", "Weekly groceries"])
    expect(closest("weekly gr", titles)).toStrictEqual(["Weekly groceries"])
    expect(closest("買い", ["買い物リスト"])).toStrictEqual(["買い物リスト"])
    expect(closest("w", titles)).toStrictEqual([])
  })

  it("do not include lists that share only a short word or no word at all", () => {
    expect(closest("ideas for the garden", ["The office", "Work for me", "Plans"])).toStrictEqual([])
    expect(closest("Today", ["Work", "x".repeat(1_000)])).toStrictEqual([])
    expect(closest("", ["Work", "a"])).toStrictEqual([])
    expect(closest("!?", ["Work", "ab"])).toStrictEqual([])
  })

  it("are at most five, the first ones among equally good", () => {
    const titles = Array.from({ length: 9 }, (_, at) => `Trip ${at}`)
    expect(closest("trip", titles)).toStrictEqual(titles.slice(0, 5))
    expect(closest("trip 8", titles)[0]).toStrictEqual("Trip 8")
  })

  it("are those of a similar length first, among those with the same words", () => {
    expect(closest("trip", ["A long trip to Lisbon", "A trip", "Our trip home"])).toStrictEqual([
      "A trip",
      "A long trip to Lisbon",
      "Our trip home"
    ])
  })

  it("are found in one step per list", () => {
    let steps = 0
    for (const _ of closestTitles("a list", listsOf(Array.from({ length: 300 }, (_, at) => `List ${at}`)))) steps++
    expect(steps).toBe(300)
  })
})
