import { call, items, makeList } from "./PairRows.ts"
import type { Running } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { Owner, FilledDatabase } from "./FilledDatabase.ts"

type Method = "PATCH" | "DELETE" | "POST"

/** One of the two servers, with an account of its own to write to. */
interface Side {
  readonly server: Running
  readonly headers: Readonly<Record<string, string>>
  readonly owner: Owner
}

/** Prepares a request, outside the measurement, and returns its body. */
type Ready = (owner: Owner, turn: number) => Promise<object>

const send = async ({ headers, server }: Side, method: Method, path: string, body: object): Promise<void> => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
}

/** Minimum number of requests per round; rounds on the floor and on the product alternate. */
const least = 3

const timed = async (side: Side, method: Method, path: string, ready: Ready, seconds: number): Promise<number> => {
  const millis: Array<number> = []
  for (let turn = 0, spent = 0; turn < least || spent < seconds * 1000; turn++) {
    const body = await ready(side.owner, turn)
    const from = performance.now()
    await send(side, method, path, body)
    millis.push(performance.now() - from)
    spent += millis.at(-1)!
  }
  return median(millis)
}

const idsOf = async (server: Running, owner: Owner, listId: string): Promise<ReadonlyArray<string>> => {
  const { value } = await call(server, owner, `/lists/${listId}`)
  return value.things.map((thing: { readonly id: string }) => thing.id)
}

/** A heading and 10,000 lines, one megabyte in all. */
const markdown = `# A long list\n\n${items(10_000)
  .map(({ text }) => `- [ ] ${text.padEnd(93, " and on")}\n`)
  .join("")}`.slice(0, 1_000_000)

/** Rows 7.1 to 7.3: bulk calls, by the median time of one. */
export const bulkRows = async (
  filled: FilledDatabase,
  ours: Running,
  floor: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const [mine, others] = [filled.writers[0]!, filled.others[0]!]
  const sides: readonly [Side, Side] = [
    { server: ours, owner: mine, headers: { authorization: `Bearer ${mine.key}` } },
    { server: floor, owner: others, headers: { "x-owner": others.id } }
  ]
  const row = async (number: string, what: string, method: Method, path: string, ready: Ready): Promise<Row> => {
    const millis: readonly [Array<number>, Array<number>] = [[], []]
    for (let round = effort.warmUp ? 0 : 1; round <= effort.rounds; round++)
      for (const [at, side] of sides.entries()) {
        const taken = await timed(side, method, path, ready, effort.seconds)
        if (round > 0) millis[at]!.push(taken)
      }
    const ratio = median(millis[0]) / median(millis[1])
    return {
      row: number,
      what,
      by: "time",
      goal: "<= 1.5",
      ratio,
      met: ratio <= 1.5,
      ours: `p50 ${median(millis[0]).toFixed(1)} ms`,
      floor: `p50 ${median(millis[1]).toFixed(1)} ms`
    }
  }
  const rows: Array<Row> = []
  if (effort.wants("7.1")) {
    const ids = new Map<Owner, ReadonlyArray<string>>()
    for (const owner of [mine, others]) ids.set(owner, await idsOf(ours, owner, await makeList(ours, owner, 500)))
    const ready: Ready = async (owner, turn) => ({ ids: ids.get(owner)!, set: { completed: turn % 2 === 0 } })
    rows.push(await row("7.1", "PATCH /things/bulk, 500 things", "PATCH", "/things/bulk", ready))
  }
  if (effort.wants("7.2")) {
    const ready: Ready = async (owner) => ({ ids: await idsOf(ours, owner, await makeList(ours, owner, 500)) })
    rows.push(await row("7.2", "DELETE /things/bulk, 500 things", "DELETE", "/things/bulk", ready))
  }
  if (effort.wants("7.3"))
    rows.push(await row("7.3", "POST /lists/import, 1 MB", "POST", "/lists/import", async () => ({ markdown })))
  return rows
}
