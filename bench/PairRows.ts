import type { Load, Sent } from "./Load.ts"
import { peakBytes, residentBytes, type Running } from "./Processes.ts"
import { alternate, type Effort, judge, type Pair, type Row } from "./Rows.ts"
import type { Owner, FilledDatabase } from "./FilledDatabase.ts"

type Request = Pick<Load, "method" | "path" | "connections">

/** What one connection sends for an account; `path` replaces that of the request. */
type Sender = Pick<Sent, "bodies" | "path"> & { readonly owner: Owner }

const oursFor = ({ owner, ...sent }: Sender): Sent => ({ ...sent, headers: { authorization: `Bearer ${owner.key}` } })
/** With a new `Idempotency-Key` in each request, as the client package sends it. */
const keyed = (sender: Sender): Sent => {
  const sent = oursFor(sender)
  return { ...sent, headers: { ...sent.headers, "idempotency-key": "{n}" } }
}
const floorFor = ({ owner, ...sent }: Sender): Sent => ({ ...sent, headers: { "x-owner": owner.id } })

/** The same requests on both sides; writers use separate accounts of equal content. */
const pair = (request: Request, senders: ReadonlyArray<Sender>, others = senders): Pair => ({
  ours: { ...request, requests: senders.map(oursFor) },
  floor: { ...request, requests: others.map(floorFor) }
})

export const call = async (
  server: Running,
  owner: Owner,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST"
) => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
  return { value: JSON.parse(text), bytes: text.length }
}

/** Bodies of `POST /things/bulk`. */
export const items = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ text: `Pick up parcel number ${n} at the corner shop` }))

/** Makes a list of `count` things and returns its id. */
export const makeList = async (server: Running, owner: Owner, count: number): Promise<string> => {
  const { value } = await call(server, owner, "/lists", { title: `A list of ${count}` })
  for (let made = 0; made < count; made += 500)
    await call(server, owner, "/things/bulk", { list_id: value.list.id, items: items(Math.min(500, count - made)) })
  return value.list.id
}

/** A day for which `fillThings` makes no list. */
const unseededDay = "2030-01-01"

const get = (path: string, connections: number): Request => ({ method: "GET", path: `/api/v1${path}`, connections })
/** A path that differs in each request, so that no cached answer is sent. */
const uncached = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}n={n}`
const unasked = "not asked before"
const patch = (connections: number): Request => ({ method: "PATCH", path: "/", connections })
const post = (path: string, connections: number): Request => ({ method: "POST", path: `/api/v1${path}`, connections })

/** Rows 1 to 9, 14 and 17: the same request to the product and to the floor, on the same rows of the same database. */
export const pairRows = async (
  filled: FilledDatabase,
  ours: Running,
  floor: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const { big, others, writers } = filled
  const rows: Array<Row> = []
  const add = async (
    row: string,
    what: string,
    by: "throughput" | "time",
    goal: number,
    request: Request,
    senders: ReadonlyArray<Sender>,
    apart?: ReadonlyArray<Sender>
  ) => {
    if (effort.wants(row)) {
      rows.push(judge(row, what, by, goal, await alternate(pair(request, senders, apart), ours, floor, effort)))
    }
  }

  const reader = [{ owner: big }]
  const [hundred, fiveThousand] = [await makeList(ours, big, 100), await makeList(ours, big, 5_000)]
  const { value: page } = await call(ours, big, "/things?page=0")
  const thing = `/things/${page.things[0].id}`
  await add("1", "GET /things/{id}, 32 connections", "throughput", 1, get(thing, 32), reader)
  await add("1.1", `GET /things/{id}, ${unasked}`, "throughput", 1, get(uncached(thing), 32), reader)
  const list = `/lists/${hundred}`
  await add("2", "GET /lists/{id}, 100 things", "throughput", 1.2, get(list, 8), reader)
  await add("2.1", `GET /lists/{id}, ${unasked}`, "throughput", 1.2, get(uncached(list), 8), reader)
  await add("3", "GET /lists/{id}, 5,000 things", "throughput", 0.6, get(`/lists/${fiveThousand}`, 4), reader)
  if (effort.wants("3.1")) rows.push(await bigListMemory(ours, big, fiveThousand))
  await add("4.1", "GET /things?page=0", "throughput", 1, get("/things?page=0", 8), reader)
  await add("4.3", `GET /things?page=0, ${unasked}`, "throughput", 1, get(uncached("/things?page=0"), 8), reader)
  await add("4.2", "GET /things?page=5", "throughput", 1, get("/things?page=5", 8), reader)
  const [single, singleApart] = [await additions(ours, writers), await additions(ours, others)]
  await add("5", "POST /things, 32 accounts", "throughput", 1, post("/things", 32), single, singleApart)
  const [first, firstApart] = [single.slice(0, 1), singleApart.slice(0, 1)]
  await add("6", "POST /things, one account, 8 connections", "throughput", 0.9, post("/things", 8), first, firstApart)
  const [many, manyApart] = [await additionsOf(ours, writers[0]!, 500), await additionsOf(ours, others[0]!, 500)]
  await add("7", "POST /things/bulk, 500 items", "time", 1.2, post("/things/bulk", 1), [many], [manyApart])
  const words = encodeURIComponent(page.things[0].text.split(" ").at(-1))
  await add("8", "GET /search", "time", 1.5, get(`/search?query=${words}`, 1), reader)
  const { value: day } = await call(ours, big, `/today?date=${unseededDay}`)
  await call(ours, big, "/things/bulk", { list_id: day.list.id, items: items(20) })
  const today = `/today?date=${unseededDay}`
  await add("9", "GET /today of an existing day", "throughput", 1, get(today, 8), reader)
  await add("9.1", `GET /today, ${unasked}`, "throughput", 1, get(uncached(today), 8), reader)
  const [alone, aloneApart] = [await completions(ours, writers, 1, 8), await completions(ours, others, 1, 8)]
  const completing = "PATCH /things/{id}: completed and reopened"
  await add("14.1", `${completing}, one account, 8 connections`, "throughput", 0.8, patch(8), alone, aloneApart)
  const [apart, apartFloor] = [await completions(ours, writers, 32, 1), await completions(ours, others, 32, 1)]
  await add("14.2", `${completing}, 32 accounts`, "throughput", 0.9, patch(32), apart, apartFloor)
  const withKeys = async (
    row: string,
    what: string,
    goal: number,
    { floor: loads, ours: own }: Pair,
    senders: ReadonlyArray<Sender>
  ) => {
    if (!effort.wants(row)) return
    const sides = { ours: { ...own, requests: senders.map(keyed) }, floor: loads }
    rows.push(judge(row, what, "throughput", goal, await alternate(sides, ours, floor, effort)))
  }
  const adding = pair(post("/things", 32), single, singleApart)
  await withKeys("5.1", "POST /things with an Idempotency-Key, 32 accounts", 0.8, adding, single)
  const changing = pair(patch(32), apart, apartFloor)
  await withKeys("14.4", `${completing}, with an Idempotency-Key, 32 accounts`, 0.7, changing, apart)
  if (effort.wants("14.3")) {
    const weekly = await completions(ours, writers, 1, 8, { at: "2030-01-07T09:00:00Z", repeat: "weekly" })
    const loads = { ours: pair(patch(8), weekly).ours, floor: pair(patch(8), alone).ours }
    const what = "completing with a weekly reminder, against a plain thing, one account"
    rows.push(judge("14.3", what, "throughput", 0.4, await alternate(loads, ours, ours, effort)))
  }
  // By mean time, since the load generator reports a median below a millisecond as 0.
  await add("17.1", "GET /things/{id}, one connection, nothing else", "time", 1.3, get(thing, 1), reader)
  await add("17.2", "POST /things, one connection, nothing else", "time", 1.3, post("/things", 1), first, firstApart)
  return rows
}

const additions = (server: Running, owners: ReadonlyArray<Owner>): Promise<ReadonlyArray<Sender>> =>
  Promise.all(
    owners.map(async (owner) => ({
      owner,
      bodies: [JSON.stringify({ list_id: await makeList(server, owner, 1), text: "Water the plants" })]
    }))
  )

const additionsOf = async (server: Running, owner: Owner, count: number): Promise<Sender> => ({
  owner,
  bodies: [JSON.stringify({ list_id: await makeList(server, owner, 1), items: items(count) })]
})

/**
 * One thing per connection, in one list of its account. A plain thing is completed and reopened in turn; one with a
 * reminder is completed every time.
 */
const completions = async (
  server: Running,
  owners: ReadonlyArray<Owner>,
  count: number,
  each: number,
  reminder?: object
): Promise<ReadonlyArray<Sender>> => {
  const states = reminder === undefined ? [true, false] : [true]
  const senders = owners.slice(0, count).map(async (owner) => {
    const { value } = await call(server, owner, `/lists/${await makeList(server, owner, each)}`)
    const ids: ReadonlyArray<string> = value.things.map((thing: { readonly id: string }) => thing.id)
    if (reminder !== undefined)
      for (const id of ids) await call(server, owner, `/things/${id}/reminder`, reminder, "PUT")
    return ids.map((id) => ({
      owner,
      path: `/api/v1/things/${id}`,
      bodies: states.map((completed) => JSON.stringify({ completed }))
    }))
  })
  return (await Promise.all(senders)).flat()
}

/** Second half of row 3: memory that one answer of 5,000 things takes beyond its own size. */
const bigListMemory = async (ours: Running, owner: Owner, id: string): Promise<Row> => {
  const { bytes } = await call(ours, owner, `/lists/${id}`)
  const before = residentBytes(ours.pid)
  const peak = await peakBytes(ours.pid, () => call(ours, owner, `/lists/${id}`))
  const ratio = (peak - before) / bytes
  const megabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`
  return {
    row: "3.1",
    what: "memory of one such answer against its body",
    by: "time",
    goal: "<= 2",
    ratio,
    met: ratio <= 2,
    ours: `${megabytes(peak - before)} above rest`,
    floor: `body ${megabytes(bytes)}`
  }
}
