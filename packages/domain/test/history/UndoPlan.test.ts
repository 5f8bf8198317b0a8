import { describe, expect, it } from "@effect/vitest"
import { account, list, place, placeTrigger, reminder, thing } from "@lists-and-things/testing/Fixtures"
import { entityMap } from "../../src/history/Entities.ts"
import { planUndo } from "../../src/history/UndoPlan.ts"
import type { Entity, EntityChange } from "../../src/model/Operation.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const owner = account().id
const home = list(owner)
const work = place(owner)
const made: EntityChange = { type: "place", id: work.id, change: "created", before: undefined }
const things = Array.from({ length: 3 }, () => thing(owner, home.id))
const reminders = things.map((each) => reminder(each, { trigger: placeTrigger(work.id) }))

describe("the obstacles of an undo", () => {
  it("are in the order of their ids, whatever the order of the store", () => {
    const at: ReadonlyArray<Entity> = [
      { type: "place", value: work },
      { type: "list", value: home },
      ...things.map((value) => ({ type: "thing", value }) as const)
    ]
    const inOrder = reminders.map(({ id }) => ({ type: "reminder", id })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    for (const found of [reminders, reminders.toReversed()]) {
      const around = entityMap([...at, ...found.map((value) => ({ type: "reminder", value }) as const)])
      expect(runStepsSync(planUndo(owner, [made], around, new Set()))).toStrictEqual({ obstacles: inOrder })
    }
  })
})
