import { describe, expect, it } from "@effect/vitest"
import { account, list } from "@lists-and-things/testing/Fixtures"
import { mergeChanges } from "../../src/history/Entities.ts"
import type { EntityChange } from "../../src/model/Operation.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const home = list(account().id)

/** A change of the list, which had this title before; none where it was created. */
const changed = (change: EntityChange["change"], title?: string): EntityChange => ({
  type: "list",
  id: home.id,
  change,
  before: title === undefined ? undefined : { type: "list", value: { ...home, title } }
})

/** What becomes of the list through these changes, oldest first. */
const merged = (...changes: ReadonlyArray<EntityChange>) =>
  runStepsSync(mergeChanges(changes.toReversed().map((each) => [each])))

describe("what became of an entity through several operations", () => {
  it("is its last change, with the state before the first", () => {
    expect(merged(changed("updated", "a"), changed("updated", "b"))).toStrictEqual([changed("updated", "a")])
    expect(merged(changed("updated", "a"), changed("deleted", "b"))).toStrictEqual([changed("deleted", "a")])
  })

  it("is that it was created, however it was changed afterwards", () => {
    expect(merged(changed("created"), changed("updated", "a"))).toStrictEqual([changed("created")])
  })

  it("is that it was updated, where it was deleted and came back", () => {
    expect(merged(changed("deleted", "a"), changed("created"))).toStrictEqual([changed("updated", "a")])
  })

  it("is nothing, where it came and went", () => {
    expect(merged(changed("created"), changed("updated", "a"), changed("deleted", "b"))).toStrictEqual([])
  })
})
