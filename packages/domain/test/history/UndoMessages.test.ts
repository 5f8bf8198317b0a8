import { describe, expect, it } from "@effect/vitest"
import { blockedMessage } from "../../src/history/UndoMessages.ts"
import type { EntityChange, Operation } from "../../src/model/Operation.ts"

const things = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    key: { type: "thing", id: `t${at}` } as const,
    entity: undefined,
    change: "updated" as EntityChange["change"]
  }))

const operations = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `o${at}`, at }) as unknown as Operation)

describe("the message of an undo that is blocked", () => {
  it("names up to five entities, and the later operations, newest first", () => {
    expect(blockedMessage(things(1), operations(1))).toBe(
      "This cannot be undone: the thing (t0) was changed by the later operation o0. Undo that first."
    )
    expect(blockedMessage(things(2), operations(2))).toBe(
      "This cannot be undone: the thing (t0) and the thing (t1) were changed by the later operations o1 and o0. Undo those first."
    )
    expect(blockedMessage(things(7), operations(1))).toContain("the thing (t4) and 2 more were changed")
    expect(blockedMessage(things(1), operations(23))).toContain("o3 and 3 more")
    const [first, second] = things(2)
    expect(blockedMessage([first!, { ...second!, change: "deleted" }], operations(1))).toContain(
      "were changed or deleted by"
    )
  })

  it("does not ask to undo a change of settings, which is never undone", () => {
    const settings: Operation = { ...operations(1)[0]!, name: "updateAccount" }
    expect(blockedMessage(things(1), [settings])).toBe(
      "This cannot be undone: the thing (t0) was changed by the later operation o0. The operation o0 changed settings of the account, which are never undone."
    )
  })

  it("names the entities in the way when no later operation is known", () => {
    expect(blockedMessage(things(1), [])).toBe("This cannot be undone: the thing (t0) is in the way.")
    expect(blockedMessage(things(2), [])).toBe(
      "This cannot be undone: the thing (t0) and the thing (t1) are in the way."
    )
  })
})
