import { expect, it } from "@effect/vitest"
import type { Connection, Json } from "./Clients.ts"
import { forEachPerson } from "./EachPerson.ts"
import type { McpServer, Person } from "./McpServer.ts"

let server: McpServer
let person: Person
let mcp: Connection
forEachPerson((connection, owner, running) => {
  mcp = connection
  person = owner
  server = running
})

const rest = (path: string): Promise<Json> => server.rest(person, path)

/** The largest page of any tool: 25,000 tokens of four bytes. */
const maxBytes = 100_000

const sizeOf = (answer: Json): number => Buffer.byteLength(JSON.stringify(answer))

it("fetch brings a long list, a long note and a long line whole, within what clients take", async () => {
  const note = `${"🛒 ü line\n".repeat(9_000)}${"x".repeat(30_000)}`
  const { list } = await mcp.ok("create_list", { title: "Long", things: [{ text: "a", note }, { text: "b" }] })
  let text = ""
  let pages = 0
  for (let args: Json = { id: list.id }; args !== undefined; pages++) {
    const page: Json = await mcp.ok("fetch", args)
    expect(sizeOf(page)).toBeLessThan(maxBytes)
    text += page.text
    const next: string | undefined = page.next_page
    args = next === undefined ? undefined : JSON.parse(next.slice(next.indexOf("{"), next.indexOf("}") + 1))
  }
  expect(pages).toBeGreaterThan(2)
  expect(text).toBe((await rest(`/fetch?id=${list.id}`)).text)
  expect((await mcp.ok("fetch", { id: list.id, page: 99 })).text).toBe("")
  const { things } = await mcp.ok("get_list", { list_id: list.id })
  const first = await mcp.ok("get_thing", { thing_id: things[0].id })
  expect(sizeOf(first)).toBeLessThan(maxBytes)
  expect(first.next_page).toBe(`Call fetch with {"id":"${things[0].id}"} for the whole note, in pages.`)
})

it("list_changes brings every change once, within what clients take", async () => {
  const things = Array.from({ length: 100 }, (_, at) => ({ text: `Thing ${at}`, note: "n".repeat(5000) }))
  const { list } = await mcp.ok("create_list", { title: "Long", things })
  const ids: Array<string> = []
  let page: Json = { has_more: true }
  while (page.has_more) {
    page = await mcp.ok("list_changes", { limit: 500, ...(page.cursor && { cursor: page.cursor }) })
    expect(sizeOf(page)).toBeLessThan(maxBytes)
    ids.push(...page.changes.filter(({ type }: Json) => type === "thing").map(({ id }: Json) => id))
  }
  expect([ids.length, new Set(ids).size]).toEqual([100, 100])
  const dry = await mcp.ok("delete_list", { list_id: list.id, dry_run: true })
  expect([dry.counts.things, dry.entities_truncated, sizeOf(dry) < maxBytes]).toEqual([100, true, true])
  expect(dry.entities[0]).toMatchObject({ type: "list", id: list.id })
})

it("list_changes cuts a note that is longer than clients take by itself", async () => {
  const { cursor } = await mcp.ok("list_changes", { cursor: "now" })
  const note = "n".repeat(200_000)
  await mcp.ok("create_list", { title: "Long", things: [{ text: "a" }, { text: "b", note }, { text: "c" }] })
  const things: Array<Json> = []
  const notices: Array<string> = []
  for (let page: Json = { cursor, has_more: true }; page.has_more;) {
    page = await mcp.ok("list_changes", { cursor: page.cursor })
    expect(sizeOf(page)).toBeLessThan(maxBytes)
    things.push(...page.changes.filter(({ type }: Json) => type === "thing").map(({ data }: Json) => data))
    if (page.notice !== undefined) notices.push(page.notice)
  }
  expect(things.map(({ note }) => note.length)).toEqual([0, 20_001, 0])
  expect(notices).toEqual([
    `The note of ${things[1].id} is cut at 20,000 characters. Call fetch with {"id":"${things[1].id}"} for the whole note, in pages.`
  ])
})

it("list_tags brings the tags that are used most, and says how many there are", async () => {
  const tag = (at: number) => `#${at} ${"🛒".repeat(20)}`
  const items = Array.from({ length: 30 }, (_, thing) => ({
    text: "a",
    tags: ["groceries", ...Array.from({ length: 49 }, (_, at) => tag(thing * 49 + at))]
  }))
  await mcp.ok("create_things", { list: "today", items })
  const answer = await mcp.ok("list_tags")
  expect(answer.tags[0]).toMatchObject({ name: "groceries", count: 30 })
  expect(sizeOf(answer)).toBeLessThan(maxBytes)
  expect(answer.notice).toBe(`Only the first ${answer.tags.length} of 1,471 tags are shown.`)
  expect((await rest("/tags")).tags).toHaveLength(1_471)
})

it("search brings everything that it found, within what clients take", async () => {
  const photos = Array.from({ length: 10 }, (_, at) => `https://example.com/${"p".repeat(8_000)}${at}`)
  const things = Array.from({ length: 50 }, (_, at) => ({ text: `milk ${at} ${"ü".repeat(5_000)}`, photos }))
  await mcp.ok("create_list", { title: `milk ${"ü".repeat(900)}`, things })
  for (let at = 0; at < 30; at++) await mcp.ok("create_list", { title: `milk ${at} ${"ü".repeat(900)}` })
  const ids: Array<string> = []
  let page: Json = { next_page: "first" }
  for (let number = 0; page.next_page !== undefined; number++) {
    page = await mcp.ok("search", { query: "milk", page: number })
    expect(sizeOf(page)).toBeLessThan(maxBytes)
    const found = [...page.lists, ...page.things].map(({ id }: Json) => id)
    expect(page.results.map(({ id }: Json) => id)).toEqual(found)
    ids.push(...found)
  }
  const whole = await rest("/search?query=milk")
  expect(ids).toEqual(whole.results.map(({ id }: Json) => id))
  expect(ids).toHaveLength(81)
})
