import { afterAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import type { OperationsJson } from "@lists-and-things/domain/json/OperationJson"
import { randomOf } from "@lists-and-things/testing/RandomHistory"
import { until } from "@lists-and-things/testing/Until"
import { type Connection, overHttp, overStdio } from "../mcp/Clients.ts"
import { ask, json } from "../reliability/Ask.ts"
import { type Host, openInstallation, type Person } from "../reliability/Installation.ts"
import { differences, exported, lat } from "./Exported.ts"
import { killMirrors, openMirror } from "./Mirror.ts"
import { openReader } from "./Reader.ts"
import { firstList, knowing, request, toolCall } from "./Writers.ts"

const installation = await openInstallation()
const [one, two] = [await installation.serve(), await installation.serve()]
const folder = mkdtempSync(join(tmpdir(), "lat-model-"))
afterAll(async () => {
  await killMirrors()
  await installation.close()
  rmSync(folder, { recursive: true })
})

type Operation = (typeof OperationsJson.Type)["operations"][number]

/** All operations of a person, newest first. */
const operationsOf = async ({ url }: Host, { token }: Person): Promise<ReadonlyArray<Operation>> => {
  const operations: Array<Operation> = []
  for (let page = 0; ; page++) {
    const answer = json<typeof OperationsJson.Type>(await ask(url, "GET", `/operations?page=${page}`, { token }))
    operations.push(...answer.operations)
    if (!answer.has_more) return operations
  }
}

const of = (operations: ReadonlyArray<Operation>, ...surfaces: ReadonlyArray<Operation["surface"]>) =>
  operations.filter(({ surface }) => surfaces.includes(surface)).map(({ id }) => id)

const repeated = async (times: number, run: (n: number) => Promise<void>): Promise<void> => {
  for (let n = 0; n < times; n++) await run(n)
}

describe("writes of several processes at once", () => {
  it("give one operation each, with distinct times in order, and readers that are killed miss none", async () => {
    const person = await installation.person()
    const known = knowing()
    await firstList(one, person, { random: randomOf(1), known }, 300)
    const stdio = await overStdio("present SDK, 2026-07-28", {
      env: {
        LAT_STORAGE: "postgres",
        DATABASE_URL: Redacted.value(installation.postgres.url()),
        LAT_API_KEY: person.token
      }
    })
    const mcp: ReadonlyArray<Connection> = [
      await overHttp("present SDK, 2026-07-28", { url: one.url, token: person.token }),
      stdio
    ]
    const commands: ReadonlyArray<ReadonlyArray<string>> = [
      ["account", "set", person.accountId, "--timezone", "Asia/Tokyo"],
      ["thing", "add", "by hand", "--account", person.accountId, "--list", "2026-12-02"],
      ["list", "create", "by hand", "--account", person.accountId],
      ["account", "set", person.accountId, "--repeat-moves-to-day", "false"]
    ]
    const writers = [
      ...[one, two, two].map((host, n) => {
        const chance = { random: randomOf(10 + n), known }
        return repeated(80, () => request(host, person, chance))
      }),
      // Concurrent, so that they are appended in one batch.
      repeated(10, async (n) => {
        const chance = { random: randomOf(20 + n), known }
        await Promise.all([one, one, one, two].map((host) => request(host, person, chance)))
      }),
      ...mcp.map((connection, n) => {
        const chance = { random: randomOf(30 + n), known }
        return repeated(40, () => toolCall(connection, chance))
      }),
      repeated(commands.length, async (n) => void (await lat(installation, ...commands[n]!)))
    ]
    const state = { isOver: false }
    const written = Promise.all(writers).finally(() => (state.isOver = true))

    const readers = [one, two, one].map((host, n) => openReader(host, person, randomOf(40 + n)))
    const read = Promise.all(
      readers.map(async (reader) => {
        while (!state.isOver) await reader.step()
      })
    )
    const mirror = openMirror(person, join(folder, "model.sqlite"))
    const random = randomOf(50)
    let starts = 0
    // At least three times, even if the writers have ended by then.
    for (; starts < 3 || !state.isOver; starts++) {
      await mirror.start(starts % 2 === 0 ? one : two)
      const enough = known.operations.length + 5 + Math.floor(random() * 20)
      await until("more operations", () => state.isOver || known.operations.length >= enough)
    }
    await Promise.all([written, read])
    await mirror.start(one)
    await Promise.all([...readers.map((reader) => reader.catchUp()), mirror.upToDate(two, person)])

    const expected = await exported(installation, person)
    for (const { entities } of readers) expect(differences(entities(), expected)).toStrictEqual([])
    expect(differences(mirror.entities(), expected)).toStrictEqual([])

    const operations = await operationsOf(two, person)
    const times = operations.map(({ at }) => at)
    expect(times).toStrictEqual([...new Set(times)].toSorted().toReversed())
    expect(of(operations, "rest", "mcp").toSorted()).toStrictEqual(known.operations.toSorted())
    expect(of(operations, "mcp").length).toBeGreaterThan(10)
    expect(of(operations, "cli")).toHaveLength(commands.length)
    expect(of(operations, "rest", "mcp", "cli")).toHaveLength(operations.length)

    await mirror.kill()
    for (const connection of mcp) await connection.close()
  })

  it("the readers detect a write whose timestamp was taken before the account's lock", async () => {
    const person = await installation.person()
    const known = knowing()
    const chance = { random: randomOf(2), known }
    await firstList(one, person, chance, 3)
    const reader = openReader(one, person, randomOf(3))
    const [list, thing] = [known.lists[0]!, known.things[0]!]
    const rename = (title: string) => ask(one.url, "PATCH", `/lists/${list}`, { token: person.token, body: { title } })
    const { sql } = installation.postgres
    /** Writes as the product does, but with a write timestamp that another transaction took. */
    const commit = (stamp: string, id: string) =>
      sql(`with changed as (update things set text = 'late', updated = ${stamp}
             where owner_id = '${person.accountId}' and id = '${thing}' returning id)
           insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, summary, has_images,
             settings, things)
           select '${person.accountId}', ${stamp}, '${id}', 'updateThing', 'rest', 'key', 'k', 'k', 'Late', false, false,
             array[id] from changed`)
    const take = async () => {
      const [row] =
        await sql(`update write_clocks set last_write = last_write + 1 where owner_id = '${person.accountId}'
        returning last_write::text as stamp`)
      return String(row?.["stamp"])
    }

    await commit(await take(), "0199f0c2-7a51-7c3e-9d1b-000000000001")
    await reader.catchUp()
    expect(differences(reader.entities(), await exported(installation, person))).toStrictEqual([])

    const early = await take()
    await rename("in between")
    await reader.catchUp()
    await commit(early, "0199f0c2-7a51-7c3e-9d1b-000000000002")
    await rename("afterwards")
    await reader.catchUp()
    const missed = differences(reader.entities(), await exported(installation, person))
    expect(missed.map(([key]) => key)).toStrictEqual([`thing ${thing}`])
  })
})
