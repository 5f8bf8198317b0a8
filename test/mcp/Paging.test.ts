import { describe, expect, it } from "@effect/vitest"
import { type Connection, type Json } from "./Clients.ts"
import { forEachPerson } from "./EachPerson.ts"
import { listOf, remind } from "./Given.ts"

let mcp: Connection
forEachPerson(
  (connection) => {
    mcp = connection
  },
  { timezone: "Europe/Vienna" }
)

/** The first arguments that a text names. */
const saidIn = (said: string): object => JSON.parse(said.slice(said.indexOf("{"), said.indexOf("}") + 1))

/** Follows the instructions of the answers until there are no more pages. */
const allPages = async (name: string, args: object) => {
  const texts: Array<string> = []
  let sizes = 0
  let next: object | undefined = args
  while (next !== undefined) {
    const page: Json = await mcp.ok(name, next)
    texts.push(...page.things.map((thing: Json) => thing.text))
    sizes = Math.max(sizes, Buffer.byteLength(JSON.stringify(page)))
    const said: string | undefined = page.next_page
    expect(said !== undefined).toBe(page.has_more)
    next = said === undefined ? undefined : { ...args, ...saidIn(said) }
  }
  return { texts, sizes }
}

describe("paging", () => {
  it("a long list comes in pages that join, and each says how to get the next one", async () => {
    const list = await listOf(mcp, 250)
    const first = await mcp.ok("get_list", { list_id: list.id })
    expect([first.things.length, first.page, first.page_size, first.has_more]).toEqual([100, 0, 100, true])
    expect(first.next_page).toContain(`{"list_id":"${list.id}","page":1,"page_size":100}`)
    const { texts } = await allPages("get_list", { list_id: list.id })
    expect(texts).toEqual(Array.from({ length: 250 }, (_, at) => `Thing ${at}`))
    expect((await mcp.ok("get_list", { list_id: list.id, page: 9 })).things).toEqual([])
  })

  it("a page that clients would truncate is made smaller, without a gap", async () => {
    const list = await listOf(mcp, 300, () => ({
      note: "n".repeat(2000),
      url: `https://example.com/${"u".repeat(600)}`
    }))
    const wanted = { list_id: list.id, page_size: 300, max_text: 1000, detail: "full" }
    const first = await mcp.ok("get_list", wanted)
    expect(first.page_size).toBeLessThan(300)
    expect(first.things[0].note).toBe(`${"n".repeat(1000)}…`)
    const { texts, sizes } = await allPages("get_list", wanted)
    expect(texts).toHaveLength(300)
    expect(new Set(texts).size).toBe(300)
    expect(sizes).toBeLessThan(100_000)
  })

  it("a later page that clients would truncate is made smaller, and the next ones line up", async () => {
    const list = await listOf(mcp, 200, (at) => ({ text: at < 100 ? `${at}` : `${at} ${"ü".repeat(600)}` }))
    const { texts, sizes } = await allPages("get_list", { list_id: list.id, page_size: 100, max_text: 1000 })
    expect(texts.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 200 }, (_, at) => at))
    expect(sizes).toBeLessThan(100_000)
  })

  it("500 short things, the largest page, come in one", async () => {
    const list = await listOf(mcp, 500)
    const whole = await mcp.ok("get_list", { list_id: list.id, page_size: 500 })
    expect([whole.things.length, whole.page_size, whole.has_more]).toEqual([500, 500, false])
    expect(Buffer.byteLength(JSON.stringify(whole))).toBeLessThan(100_000)
  })

  it("a page that is too large with its reminders is made smaller, without a gap", async () => {
    const { id } = await listOf(mcp, 300)
    const { things } = await mcp.ok("get_list", { list_id: id, page_size: 300 })
    await remind(mcp, things, () => ({ at: "2031-01-01T10:00", days: ["mon", "tue", "wed", "thu", "fri"] }))
    const { texts, sizes } = await allPages("get_list", { list_id: id, page_size: 300 })
    expect(texts).toEqual(Array.from({ length: 300 }, (_, at) => `Thing ${at}`))
    expect(sizes).toBeLessThan(100_000)
    const first = await mcp.ok("get_list", { list_id: id, page_size: 300 })
    expect(first.reminders.map((reminder: Json) => reminder.text)).toEqual(
      first.things.map((thing: Json) => thing.text)
    )
  })

  it("list_reminders says how to go on, in a range and without one, and is never too large", async () => {
    const { id } = await listOf(mcp, 230, (at) => ({ text: `${at} ${"ü".repeat(300)}` }))
    const { things } = await mcp.ok("get_list", { list_id: id, page_size: 230, max_text: 10 })
    const second = (at: number) => `${Math.floor(at / 60)}`.padStart(2, "0") + ":" + `${at % 60}`.padStart(2, "0")
    await remind(mcp, things, (at) => ({ at: `${at < 130 ? 2031 : 2020}-01-01T10:${second(at)}` }))
    const pages = async (args: object) => {
      const seen = new Set<string>()
      let next: object | undefined = args
      for (let calls = 0; next !== undefined && calls < 20; calls++) {
        const answer: Json = await mcp.ok("list_reminders", { ...args, ...next })
        expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(100_000)
        for (const { thing_id } of answer.reminders) seen.add(thing_id)
        expect(answer.next_page !== undefined).toBe(answer.has_more)
        next = answer.has_more ? saidIn(answer.next_page) : undefined
      }
      return seen.size
    }
    expect(await pages({ from: "2020-01-01", to: "2031-12-31", limit: 40 })).toBe(230)
    expect(await pages({ from: "2020-01-01", limit: 200 })).toBe(230)
    const coming = await mcp.ok("list_reminders", { limit: 30 })
    const at = "2031-01-01T09:00:29.000Z"
    expect(coming.next_page).toMatch(
      new RegExp(
        `^Call list_reminders with {"from":"${at}"} for the later ones, and with {"to":".*"} for the overdue ones`
      )
    )
    const overdue = await mcp.ok("list_reminders", { limit: 30, to: "2030-01-01" })
    expect(overdue.next_page).toBe(
      'Call list_reminders with {"from":"2020-01-01T09:02:39.000Z"}; keep the other arguments.'
    )
  })

  it("list_things cuts texts further if a page would be too large, and says so", async () => {
    const list = await listOf(mcp, 50, () => ({ text: "ü".repeat(5_000) }))
    const args = { list_id: list.id, max_text: 10_000 }
    const page = await mcp.ok("list_things", args)
    expect([page.things.length, page.things[0].text]).toEqual([50, `${"ü".repeat(625)}…`])
    expect(page.notice).toBe("Texts are cut at 625 characters, for all to fit. get_thing has one whole.")
    expect((await mcp.ok("list_things", { ...args, max_text: 600 })).notice).toBeUndefined()
  })

  it("list_things leaves photos out if a page would be too large with them, and says so", async () => {
    const photos = Array.from({ length: 10 }, (_, at) => `https://cdn.example/${"p".repeat(200)}${at}`)
    const list = await listOf(mcp, 50, () => ({ photos }))
    const said = "Photos are left out, for all to fit. get_thing has those of one."
    for (const detail of ["compact", "full"]) {
      const page = await mcp.ok("list_things", { list_id: list.id, detail })
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(100_000)
      expect([page.things.length, page.things[0].photos ?? [], page.notice]).toEqual([50, [], said])
      expect(page.things[0].text).toBe("Thing 49")
    }
  })

  it("more reminders of one time than a page holds are read in a larger one", async () => {
    const { id } = await listOf(mcp, 60)
    const { things } = await mcp.ok("get_list", { list_id: id })
    await remind(mcp, things, () => ({ at: "2031-01-01" }))
    const first = await mcp.ok("list_reminders", { from: "2031-01-01" })
    expect(first.next_page).toContain('{"from":"2030-12-31T23:00:00.000Z","limit":200}')
    expect((await mcp.ok("list_reminders", { from: "2031-01-01", limit: 200 })).reminders).toHaveLength(60)
  })

  it("after the largest page of one time come the reminders of the next millisecond", async () => {
    const { id } = await listOf(mcp, 201)
    const { things } = await mcp.ok("get_list", { list_id: id, page_size: 201 })
    await remind(mcp, things, (at) => ({ at: at === 200 ? "2031-01-01T00:00:00.001" : "2031-01-01" }))
    const first = await mcp.ok("list_reminders", { from: "2031-01-01", limit: 200 })
    expect(first.next_page).toContain("Others of 2030-12-31T23:00:00.000Z are shown by get_list alone.")
    const next = await mcp.ok("list_reminders", { limit: 200, ...saidIn(first.next_page) })
    expect(next.reminders.map(({ thing_id }: Json) => thing_id)).toEqual([things[200].id])
  })

  it("list_things and list_lists say how to go on", async () => {
    await listOf(mcp, 60)
    const things = await mcp.ok("list_things")
    expect([things.things.length, things.next_page]).toEqual([
      50,
      "Call list_things with page 1; keep the other arguments."
    ])
    expect((await mcp.ok("list_things", { page: 1 })).things).toHaveLength(10)
    for (let at = 0; at < 50; at++) await mcp.ok("create_list", { title: `List ${at}` })
    expect((await mcp.ok("list_lists")).next_page).toBe("Call list_lists with page 1.")
    expect((await mcp.ok("list_lists", { page: 1 })).lists).toHaveLength(1)
  })

  it("only the reminders of the page's things come with it, and done things can be left out", async () => {
    const list = await listOf(mcp, 4, (at) => ({ completed: at === 1 }))
    const { things } = await mcp.ok("get_list", { list_id: list.id })
    for (const thing of things) await mcp.ok("set_reminder", { thing_id: thing.id, at: "2031-01-01T10:00:00Z" })
    const second = await mcp.ok("get_list", { list_id: list.id, page: 1, page_size: 2 })
    expect(second.reminders.map((reminder: Json) => reminder.thing_id)).toEqual([things[2].id, things[3].id])
    const open = await mcp.ok("get_list", { list_id: list.id, include_completed: false })
    expect(open.things.map((thing: Json) => thing.text)).toEqual(["Thing 0", "Thing 2", "Thing 3"])
    const { next_page } = await mcp.ok("get_list", { list_id: list.id, include_completed: false, page_size: 2 })
    expect(saidIn(next_page)).toEqual({ list_id: list.id, page: 1, page_size: 2, include_completed: false })
  })
})
