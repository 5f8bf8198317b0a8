import { assert, describe, it } from "@effect/vitest"
import { nearestOf } from "../../src/json/Nearest.ts"

describe("the nearest names", () => {
  it("come by few edits, ignoring case and separators", () => {
    assert.deepStrictEqual(nearestOf("listId", ["list", "list_id", "text"], 2), ["list_id", "list"])
    assert.deepStrictEqual(nearestOf("groceris", ["Work", "Groceries"], 3), ["Groceries"])
  })

  it("are none where every name is far, however long it is", () => {
    assert.deepStrictEqual(nearestOf("Today", ["Work", "x".repeat(1_000)], 3), [])
  })
})
