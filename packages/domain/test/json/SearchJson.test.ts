import { describe, expect, it } from "@effect/vitest"
import * as Fixtures from "@lists-and-things/testing/Fixtures"
import { searchJson } from "../../src/json/SearchJson.ts"
import { AccountId } from "../../src/model/Ids.ts"

describe("the answer of a search", () => {
  it("takes the markup off one text at a time, with a yield after each", () => {
    const owner = AccountId.make(Fixtures.freshId())
    const list = Fixtures.list(owner)
    const things = Array.from({ length: 50 }, (_, at) => Fixtures.thing(owner, list.id, { text: `**${at}**` }))
    const steps = searchJson(
      { query: "4", lists: [list], things, listsHasMore: false, thingsHasMore: false },
      "https://lists.example.com",
      "2026-11-20"
    )
    let [taken, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) taken++
    expect(taken).toBe(50)
    expect(step.value.results.map(({ title }) => title)).toStrictEqual([list.title, ...things.map((_, at) => `${at}`)])
  })
})
