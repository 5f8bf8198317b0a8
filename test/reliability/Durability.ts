import assert from "node:assert/strict"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "./Ask.ts"
import { openInstallation, type Installation } from "./Installation.ts"

/** The stored titles of lists, texts of things and ids of operations. */
const kept = async (installation: Installation): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await installation.postgres.sql(
        "select title as is from lists union all select text from things union all select id::text from operations"
      )
    ).map(({ is }) => String(is))
  )

/**
 * The number of lists and things that have no operation, or are named by an operation but missing. Nothing is
 * deleted in these tests.
 */
const torn = async (installation: Installation): Promise<number> => {
  const [row] = await installation.postgres.sql(`with recorded as (
      select owner_id, unnest(lists) as id from operations union all select owner_id, unnest(things) from operations
    ), stored as (select owner_id, id from lists union all select owner_id, id from things)
    select count(*)::int4 as n from recorded r full join stored s using (owner_id, id)
      where r.id is null or s.id is null`)
  return row?.["n"] as number
}

/** Kills PostgreSQL repeatedly under load; returns how many acknowledged writes are lost. */
export const lostInCrashes = async (options: {
  readonly crashes: number
  /** Number of acknowledged writes before each crash. */
  readonly writes: number
  /** If false, commits do not wait for the disk, and nothing else writes them to it. */
  readonly waitsForDisk?: boolean
}): Promise<{
  readonly acknowledged: number
  readonly lost: number
  /** Writes without their operation and operations without their write. */
  readonly torn: number
  readonly recoveries: ReadonlyArray<Recovery>
}> => {
  const { waitsForDisk = true } = options
  const installation = await openInstallation(waitsForDisk ? [] : ["synchronous_commit=off"])
  try {
    const host = await installation.serve()
    const { token } = await installation.person()
    const made = await ask(host.url, "POST", "/lists", { token, body: { title: "of things" } })
    const { id } = json<{ readonly list: { readonly id: string } }>(made).list
    // If commits do not wait for the disk, the schema and the key would be lost as well.
    await installation.postgres.sql("checkpoint")
    /** The operation of each write, by its title or text. */
    const acknowledged = new Map<string, string>()
    const recoveries: Array<Recovery> = []
    let [lost, apart] = [0, 0]
    for (let crash = 0; crash < options.crashes; crash++) {
      if (!waitsForDisk) await stopWalWriter(installation)
      const enough = acknowledged.size + options.writes
      const state = { isDown: false, next: 0 }
      const writer = async () => {
        while (!state.isDown) {
          const title = `crash ${crash} write ${state.next++}`
          const { headers, status } =
            state.next % 2 === 0
              ? await ask(host.url, "POST", "/lists", { token, body: { title } })
              : await ask(host.url, "POST", "/things", { token, body: { list_id: id, text: title } })
          if (status === 201) acknowledged.set(title, String(headers["x-operation-id"]))
          else assert.equal(status, 503)
        }
      }
      const load = Promise.all(Array.from({ length: 12 }, writer))
      await until("enough writes", () => acknowledged.size >= enough)
      await installation.postgres.halt("immediate")
      state.isDown = true
      await load
      await installation.postgres.start()
      recoveries.push(await firstSuccess(host.url, token))
      const found = await kept(installation)
      apart += await torn(installation)
      for (const [title, operation] of acknowledged) {
        if (found.has(title) !== found.has(operation)) apart++
        if (found.has(title)) continue
        lost++
        acknowledged.delete(title)
      }
      assert.equal(host.child.exitCode, null)
    }
    return { acknowledged: acknowledged.size + lost, lost, torn: apart, recoveries }
  } finally {
    await installation.close()
  }
}

/** Suspends the process that writes buffered commits to disk; it still ends with its server. */
const stopWalWriter = async (installation: Installation): Promise<void> => {
  const [writer] = await installation.postgres.sql("select pid from pg_stat_activity where backend_type = 'walwriter'")
  process.kill(writer?.["pid"] as number, "SIGSTOP")
}

let days = 0

/** The time and failures until a read and a write succeeded. */
interface Recovery {
  readonly millis: number
  /** The number of attempts in which either failed. */
  readonly refused: number
}

const firstSuccess = async (url: string, token: string): Promise<Recovery> => {
  const from = performance.now()
  for (let refused = 0; refused < 1_000; refused++) {
    const read = await ask(url, "GET", "/lists", { token })
    const written = await ask(url, "GET", `/today?date=${(++days % 9000) + 1000}-01-01`, { token })
    if (read.status === 200 && written.status === 200) return { millis: performance.now() - from, refused }
    await sleep(10)
  }
  return { millis: Infinity, refused: Infinity }
}

/** Kills servers (SIGKILL) at different moments of a call of 500 items; returns how often each number was stored. */
export const killedInBulk = async (kills: number): Promise<ReadonlyMap<number, number>> => {
  const installation = await openInstallation()
  try {
    const { token } = await installation.person()
    const items = Array.from({ length: 500 }, (_, n) => ({ text: `item ${n}` }))
    const found = new Map<number, number>()
    let usual = 0
    for (let kill = 0; kill <= kills; kill++) {
      const host = await installation.serve()
      const made = await ask(host.url, "POST", "/lists", { token, body: { title: `bulk ${kill}` } })
      const { id } = json<{ readonly list: { readonly id: string } }>(made).list
      const began = performance.now()
      const answered = ask(host.url, "POST", "/things/bulk", { token, body: { list_id: id, items } }).then(
        ({ status }) => status,
        () => 0
      )
      // The first call is not killed; it measures how long a call takes on a server that has just started.
      // Kills are spread over that time and shortly after it.
      if (kill > 0) await sleep((0.2 + (0.9 * kill) / kills) * usual)
      else assert.equal(await answered, 201)
      if (kill === 0) usual = performance.now() - began
      host.child.kill("SIGKILL")
      const status = await answered
      await host.ended
      // The last statement of the killed server runs until PostgreSQL notices.
      await until("a database at rest", async () => !(await isBusy(installation)))
      const [row] = await installation.postgres.sql(`select count(*)::int4 as n from things where list_id = '${id}'`)
      const rows = row?.n as number
      if (status === 201) assert.equal(rows, 500)
      assert.equal(await torn(installation), 0)
      if (kill > 0) found.set(rows, (found.get(rows) ?? 0) + 1)
    }
    return found
  } finally {
    await installation.close()
  }
}

const isBusy = async (installation: Installation): Promise<boolean> => {
  const rows = await installation.postgres.sql(`select 1 from pg_stat_activity
    where application_name like 'lists-and-things %' and state <> 'idle' and xact_start is not null`)
  return rows.length > 0
}

/** Restarts PostgreSQL under load; returns the time and failures until requests succeed again. */
export const restarted = async (times: number): Promise<ReadonlyArray<Recovery>> => {
  const installation = await openInstallation()
  try {
    const host = await installation.serve()
    const { token } = await installation.person()
    const recoveries: Array<Recovery> = []
    for (let n = 0; n < times; n++) {
      await firstSuccess(host.url, token)
      await installation.postgres.halt(n % 2 === 0 ? "fast" : "immediate")
      const away = await Promise.all(Array.from({ length: 20 }, () => ask(host.url, "GET", "/lists", { token })))
      for (const { headers, status, text } of away) {
        assert.equal(status, 503)
        assert.equal(headers["retry-after"], "1")
        assert.deepEqual(Object.keys(JSON.parse(text) as object), ["error"])
      }
      await installation.postgres.start()
      recoveries.push(await firstSuccess(host.url, token))
      assert.equal(host.child.exitCode, null)
    }
    return recoveries
  } finally {
    await installation.close()
  }
}
