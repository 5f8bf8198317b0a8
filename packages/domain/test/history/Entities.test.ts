import { describe, expect, it } from "@effect/vitest"
import { account, list } from "@lists-and-things/testing/Fixtures"
import { mergeChanges } from "../../src/history/Entities.ts"
import type { EntityChange } from "../../src/model/Operation.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const home = list(account().id)

/** A change of the list, which had this title before; without a title the list did not exist before. */
const changed = (change: EntityChange["change"], title?: string): EntityChange => ({
  type: "list",
  id: home.id,
  change,
  before: title === undefined ? undefined : { type: "list", value: { ...home, title } }
})

/** The merge of these changes of the list, oldest first. */
const merged = (...changes: ReadonlyArray<EntityChange>) =>
  runStepsSync(mergeChanges(changes.toReversed().map((each) => [each])))

describe("the merged change of an entity over several operations", () => {
  it("is the last change, with the state before the first", () => {
    expect(merged(changed("updated", "a"), changed("updated", "b"))).toStrictEqual([changed("updated", "a")])
    expect(merged(changed("updated", "a"), changed("deleted", "b"))).toStrictEqual([changed("deleted", "a")])
  })

  it("is its creation, even if it was updated afterwards", () => {
    expect(merged(changed("created"), changed("updated", "a"))).toStrictEqual([changed("created")])
  })

  it("is an update, if it was deleted and created again", () => {
    expect(merged(changed("deleted", "a"), changed("created"))).toStrictEqual([changed("updated", "a")])
  })

  it("is nothing, if it was created and deleted", () => {
    expect(merged(changed("created"), changed("updated", "a"), changed("deleted", "b"))).toStrictEqual([])
  })
})
