import { expect } from "@effect/vitest"
import { type Answer, ask, json } from "../reliability/Ask.ts"
import type { Host, Person } from "../reliability/Installation.ts"
import type { Connection } from "../mcp/Clients.ts"

/** The ids that the writers of one account share; the entities may be deleted by now. */
export interface Known {
  readonly lists: Array<string>
  readonly things: Array<string>
  /** The ids of operations from their answers. */
  readonly operations: Array<string>
}

export const knowing = (): Known => ({ lists: [], things: [], operations: [] })

interface Chance {
  readonly random: () => number
  readonly known: Known
}

const number = (random: () => number, below: number): number => Math.floor(random() * below)
const pick = <A>(random: () => number, items: ReadonlyArray<A>): A | undefined => items[number(random, items.length)]

/** Random values for requests. */
const words = ({ known, random }: Chance) => {
  const aList = () => pick(random, known.lists) ?? "none"
  const day = () => `2026-12-0${1 + number(random, 3)}`
  return {
    text: () => `text ${number(random, 1000)}`,
    aList,
    /** Usually one of the latest, which other writers change as well. */
    aThing: () => pick(random, random() < 0.7 ? known.things.slice(-12) : known.things) ?? "none",
    someThings: () => known.things.slice(-20).filter(() => random() < 0.3),
    day,
    anywhere: () => (random() < 0.3 ? { list: day() } : { list_id: aList() }),
    time: () => `2026-12-1${number(random, 9)}T09:00:00Z`
  }
}

type Body = Readonly<Record<string, unknown>>
type Request = readonly [method: string, path: string, body?: Body]

const requests = (chance: Chance): ReadonlyArray<() => Request> => {
  const { random } = chance
  const { aList, aThing, anywhere, day, someThings, text, time } = words(chance)
  return [
    () => ["POST", "/lists", { title: text(), things: [{ text: text() }, { text: text(), tabs: 1 }] }],
    () => ["POST", "/lists/import", { markdown: `# ${text()}\n\n- [ ] one\n  - [x] two\n` }],
    () => ["PATCH", `/lists/${aList()}`, { title: text(), archived: random() < 0.2 }],
    () => (random() < 0.5 ? ["DELETE", `/lists/${aList()}`] : ["PATCH", `/lists/${aList()}`, { emoji: "🦊" }]),
    () => ["GET", `/today?date=${day()}`],
    () => ["GET", `/lists/${aList()}`],
    () => ["POST", "/things", { text: text(), ...anywhere(), tags: [text()], tabs: number(random, 3) }],
    () => ["POST", "/things", { text: text(), list_id: aList() }],
    () => ["POST", "/things", { text: text(), list_id: aList(), created: `2026-01-0${1 + number(random, 2)}` }],
    () => ["POST", "/things", { text: text(), list_id: aList(), list_ref: aList() }],
    () => ["POST", "/things", { clone_of: aThing(), list_id: aList() }],
    () => ["POST", "/things/bulk", { items: Array.from({ length: 5 }, () => ({ text: text(), ...anywhere() })) }],
    () => ["PATCH", "/things/bulk", { ids: someThings(), set: { completed: random() < 0.7 } }],
    () => ["PATCH", "/things/bulk", { ids: someThings(), set: anywhere() }],
    () => ["DELETE", "/things/bulk", { ids: someThings().slice(0, 3) }],
    () => ["POST", "/things/markdown", { ...anywhere(), markdown: `- [ ] ${text()}\n  - ${text()}\n` }],
    () => ["PATCH", `/things/${aThing()}`, { text: text(), note: text() }],
    () => ["PATCH", `/things/${aThing()}`, { completed: true }],
    () => ["PATCH", `/things/${aThing()}`, anywhere()],
    () => ["PATCH", `/things/${aThing()}`, { list_ref: random() < 0.5 ? aList() : null }],
    () => ["DELETE", `/things/${aThing()}`],
    () => ["PUT", `/things/${aThing()}/reminder`, { at: time(), repeat: "daily", every: 1 + number(random, 3) }],
    () => ["PUT", `/things/${aThing()}/reminder`, { at: time(), repeat: "weekly", days: ["mon"], color: "#abc" }],
    () => ["DELETE", `/things/${aThing()}/reminder`],
    () => ["POST", `/operations/${pick(random, chance.known.operations.slice(-9)) ?? "none"}/undo`]
  ]
}

interface Named {
  readonly id: string
}
interface Answered {
  readonly list?: Named
  readonly thing?: Named
  readonly things?: ReadonlyArray<Named>
}

/** Statuses that writers may get; others, such as 401, 429, 503 and 500, are errors. */
const ordinary = new Set([200, 201, 400, 404, 409])

const learn = ({ known }: Chance, answer: Answer): void => {
  if (!ordinary.has(answer.status)) throw new Error(`${answer.status}: ${answer.text}`)
  const operation = answer.headers["x-operation-id"]
  if (operation !== undefined) known.operations.push(String(operation))
  const { list, thing, things = [] } = json<Answered>(answer)
  if (list !== undefined) known.lists.push(list.id)
  for (const { id } of thing === undefined ? things : [thing]) known.things.push(id)
}

/** Makes one random request that may change something. */
export const request = async (host: Host, { token }: Person, chance: Chance): Promise<void> => {
  const [method, path, body] = pick(chance.random, requests(chance))!()
  learn(chance, await ask(host.url, method, path, { token, ...(body === undefined ? {} : { body }) }))
}

/** Imports a list with `things` things, to begin with. */
export const firstList = async (host: Host, { token }: Person, chance: Chance, things: number): Promise<void> => {
  const lines = Array.from({ length: things }, (_, n) => `- [ ] thing ${n}`)
  const body = { markdown: ["# first", "", ...lines].join("\n") }
  learn(chance, await ask(host.url, "POST", "/lists/import", { token, body }))
  learn(chance, await ask(host.url, "GET", `/lists/${chance.known.lists[0]}`, { token }))
  expect(chance.known.things).toHaveLength(things)
}

const calls = (chance: Chance): ReadonlyArray<() => readonly [name: string, args: Body]> => {
  const { random } = chance
  const { aList, aThing, someThings, text, time } = words(chance)
  const aPlace = () => `place ${number(random, 3)}`
  return [
    () => ["create_list", { title: text(), things: [{ text: text() }] }],
    () => ["create_thing", { text: text(), list_id: aList() }],
    () => ["update_thing", { thing_id: aThing(), text: text() }],
    () => ["update_things", { ids: someThings(), set: { favorited: random() < 0.5 } }],
    () => ["delete_thing", { thing_id: aThing() }],
    () => ["append_markdown", { list_id: aList(), markdown: `- ${text()}\n` }],
    () => ["save_place", { name: aPlace(), latitude: number(random, 90), longitude: 1 }],
    () => ["set_reminder", { thing_id: aThing(), place: aPlace(), trigger: "arrive" }],
    () => ["set_reminder", { thing_id: aThing(), at: time() }]
  ]
}

/** Makes one random tool call. Tools answer an invalid call with a result. */
export const toolCall = async (connection: Connection, chance: Chance): Promise<void> => {
  const [name, args] = pick(chance.random, calls(chance))!()
  const { isError, json: answer } = await connection.call(name, args)
  if (isError || answer.operation_id === undefined) return
  chance.known.operations.push(answer.operation_id as string)
  if (answer.list?.id !== undefined) chance.known.lists.push(answer.list.id as string)
  if (answer.thing?.id !== undefined) chance.known.things.push(answer.thing.id as string)
}
