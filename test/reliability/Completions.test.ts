import { afterAll, expect, it } from "@effect/vitest"
import { type Answer, ask, json } from "./Ask.ts"
import { openInstallation } from "./Installation.ts"

const installation = await openInstallation()
const hosts = await Promise.all([installation.serve(), installation.serve()])
afterAll(() => installation.close())

const day = 86_400_000

/** The fields of the answers in this test; each answer has some of them. */
interface Body {
  readonly list: { readonly id: string }
  readonly thing: { readonly id: string; readonly completed: boolean }
  readonly things: ReadonlyArray<{ readonly id: string }>
  readonly reminder: { readonly at: string }
  readonly repeating_reminder: { readonly copy_id: string; readonly next_at: string }
}

const read = (answer: Answer): Body => json(answer) as Body

it("ten concurrent completions in two processes make exactly ten copies and ten advances", async () => {
  const { token } = await installation.person()
  const send = (method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown, server = 0) =>
    ask(hosts[server % 2]!.url, method, path, body === undefined ? { token } : { token, body })
  const list = read(await send("POST", "/lists", { title: "Chores" })).list.id
  const { id } = read(await send("POST", "/things", { text: "Water the plants", list_id: list })).thing
  const first = Date.UTC(2099, 0, 1, 9)
  await send("PUT", `/things/${id}/reminder`, { at: new Date(first).toISOString(), repeat: "daily" })

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => send("PATCH", `/things/${id}`, { completed: true }, n))
  )

  const moved = answers.map((answer) => read(answer).repeating_reminder)
  expect(answers.map((answer) => answer.status)).toStrictEqual(Array.from({ length: 10 }, () => 200))
  expect(new Set(moved.map((each) => each.copy_id)).size).toBe(10)
  expect(moved.map((each) => Date.parse(each.next_at)).toSorted((a, b) => a - b)).toStrictEqual(
    Array.from({ length: 10 }, (_, n) => first + (n + 1) * day)
  )
  const after = read(await send("GET", `/things/${id}`))
  expect(after.thing.completed).toBe(false)
  expect(Date.parse(after.reminder.at)).toBe(first + 10 * day)
  const copies = read(await send("GET", "/things?completed=true", undefined, 1)).things
  expect(copies.map((copy) => copy.id).toSorted()).toStrictEqual(moved.map((each) => each.copy_id).toSorted())
})
