import { describe, expect, it } from "@effect/vitest"
import { AnswerBudget } from "../../src/size/AnswerBudget.ts"

describe("the budget of answers under way", () => {
  it("admits up to its limit, and again when one has left", () => {
    const budget = new AnswerBudget(100)
    const [one, other] = [budget.lease(), budget.lease()]
    expect(one.resize(60)).toBe(true)
    expect(other.resize(41)).toBe(false)
    expect(budget.taken).toBe(60)
    expect(other.resize(40)).toBe(true)
    one.end()
    expect(budget.taken).toBe(40)
    expect(other.resize(100)).toBe(true)
  })

  it("always has room for one alone, however large", () => {
    const budget = new AnswerBudget(100)
    const one = budget.lease()
    expect(one.resize(1_000)).toBe(true)
    expect(budget.lease().resize(1)).toBe(false)
  })

  it("never keeps an answer from getting smaller, and counts nothing after its end", () => {
    const budget = new AnswerBudget(100)
    const [one, other] = [budget.lease(), budget.lease()]
    one.resize(1_000)
    expect(one.resize(90)).toBe(true)
    expect(other.resize(10)).toBe(true)
    one.end()
    one.end()
    expect(one.resize(5)).toBe(false)
    expect(budget.taken).toBe(10)
  })
})
