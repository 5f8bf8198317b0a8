import { describe, expect, it } from "@effect/vitest"
import { MemoryBudget } from "../../src/size/MemoryBudget.ts"

describe("the memory budget of requests", () => {
  it("admits reservations up to its limit, and further ones after one ends", () => {
    const budget = new MemoryBudget(100)
    const [one, other] = [budget.reserve("Ada"), budget.reserve("Bob")]
    expect(one.resize(60)).toBe(true)
    expect(other.resize(41)).toBe(false)
    expect(budget.taken).toBe(60)
    expect(other.resize(40)).toBe(true)
    one.end()
    expect(budget.taken).toBe(40)
    expect(other.resize(100)).toBe(true)
  })

  it("always admits a single reservation, however large", () => {
    const budget = new MemoryBudget(100)
    const one = budget.reserve("Ada")
    expect(one.resize(1_000)).toBe(true)
    expect(budget.reserve("Bob").resize(1)).toBe(false)
  })

  it("always lets a reservation shrink, and counts nothing after its end", () => {
    const budget = new MemoryBudget(100)
    const [one, other] = [budget.reserve("Ada"), budget.reserve("Bob")]
    one.resize(1_000)
    expect(one.resize(90)).toBe(true)
    expect(other.resize(10)).toBe(true)
    one.end()
    one.end()
    expect(one.resize(5)).toBe(false)
    expect(budget.taken).toBe(10)
  })

  it("gives an owner that already holds some at most three fifths of what stays free", () => {
    const budget = new MemoryBudget(800)
    const adas = Array.from({ length: 8 }, () => budget.reserve("Ada")).filter((reservation) => reservation.resize(100))
    expect(adas).toHaveLength(3)
    const bobs = Array.from({ length: 8 }, () => budget.reserve("Bob")).filter((reservation) => reservation.resize(50))
    expect(bobs).toHaveLength(3)
    expect(budget.reserve("Eve").resize(350)).toBe(true)
    expect(budget.reserve("Dan").resize(1)).toBe(false)
    for (const reservation of adas) reservation.end()
    expect(budget.reserve("Bob").resize(10)).toBe(true)
  })

  it("counts a reservation for its new owner once that is known", () => {
    const budget = new MemoryBudget(800)
    const [one, other] = [budget.reserve("somebody"), budget.reserve("somebody")]
    one.resize(300)
    expect(other.resize(100)).toBe(false)
    one.chargeTo("Ada")
    expect(other.resize(100)).toBe(true)
    expect(budget.reserve("Ada").resize(1)).toBe(false)
    one.end()
    expect(budget.reserve("Ada").resize(1)).toBe(true)
  })

  it("admits waiting reservations as memory is freed: in order per owner, and across owners as far as they fit", () => {
    const budget = new MemoryBudget(800)
    const [first, second] = [budget.reserve("Ada"), budget.reserve("Bob")]
    expect([first.resize(100), second.resize(500)]).toStrictEqual([true, true])
    const given: Array<string> = []
    const wait = (owner: string, bytes: number, name: string) => {
      const reservation = budget.reserve(owner)
      return { reservation, giveUp: reservation.whenAvailable(bytes, () => given.push(name)) }
    }
    const large = wait("Ada", 250, "Ada's large one")
    wait("Ada", 10, "Ada's small one")
    const gone = wait("Eve", 210, "Eve's, who is gone")
    wait("Dan", 210, "Dan's, who gives up").giveUp()
    wait("Eve", 220, "Eve's next one")
    gone.reservation.end()
    expect(given).toStrictEqual([])
    second.resize(450)
    expect(given).toStrictEqual(["Eve's next one"])
    large.giveUp()
    second.end()
    expect(given).toStrictEqual(["Eve's next one", "Ada's small one"])
    expect(budget.taken).toBe(330)
  })
})
