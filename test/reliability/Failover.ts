import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startTestPostgres, type TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { until } from "@lists-and-things/testing/Until"
import { Effect, Logger, Redacted } from "effect"
import { ask, json } from "./Ask.ts"
import { installationOver } from "./Installation.ts"

interface ChangesPage {
  readonly changes: ReadonlyArray<{ readonly type: string; readonly id: string }>
  readonly cursor: string
}

/** One URL for both servers, the primary first. */
const addressOf = (primary: TestServer, standby: TestServer): string => {
  const hosts = encodeURIComponent(`${primary.folder},${standby.folder}`)
  return `postgres:///postgres?host=${hosts}&user=postgres&target_session_attrs=read-write`
}

const pidOfReceiver = async (standby: TestServer): Promise<number> => {
  const [row] = await standby.sql("select pid from pg_stat_wal_receiver")
  return Number(row?.["pid"])
}

/** Makes commits wait for the standby, as an operator does to lose nothing. */
const waitForStandby = async (primary: TestServer): Promise<void> => {
  await primary.sql("alter system set synchronous_standby_names = '*'")
  await primary.sql("select pg_reload_conf()")
  await until("a synchronous standby", async () => {
    const [row] = await primary.sql("select count(*)::int4 as n from pg_stat_replication where sync_state = 'sync'")
    return row?.["n"] === 1
  })
}

/** Ids of the things in the feed from the cursor on, until its end. */
const thingsInFeed = async (url: string, token: string, from: string): Promise<ReadonlySet<string>> => {
  const seen = new Set<string>()
  for (let cursor = from; ;) {
    const answer = await ask(url, "GET", `/changes?cursor=${encodeURIComponent(cursor)}`, { token })
    if (answer.status !== 200) throw new Error(`The feed answers ${answer.status}`)
    const page = json<ChangesPage & { readonly has_more: boolean }>(answer)
    for (const { id, type } of page.changes) if (type === "thing") seen.add(id)
    if (!page.has_more) return seen
    cursor = page.cursor
  }
}

interface Outcome {
  readonly acknowledged: number
  readonly lost: number
  /** The number of servers of the product that have ended. */
  readonly ended: number
  /** Milliseconds from the promotion to the first acknowledged write after it. */
  readonly firstSuccess: number
  /** All statuses of answers other than 201. */
  readonly otherStatuses: ReadonlySet<number>
  /** The number of things that are stored but not in the feed, or vice versa. */
  readonly gaps: number
}

/** Puts two servers of the product under load, kills the primary (SIGKILL) and promotes the standby. */
export const failOver = async (options: { readonly synchronous: boolean }): Promise<Outcome> => {
  const primary = await startTestPostgres({ version: 15 })
  const standby = await startTestPostgres({ version: 15, follows: primary.folder })
  const installation = installationOver(primary, addressOf(primary, standby))
  try {
    const hosts = [await installation.serve(), await installation.serve()]
    const { token } = await installation.person()
    const [one] = hosts as [(typeof hosts)[number]]
    const made = await ask(one.url, "POST", "/lists", { token, body: { title: "of things" } })
    const { id } = json<{ readonly list: { readonly id: string } }>(made).list
    const { cursor } = json<ChangesPage>(await ask(one.url, "GET", "/changes?cursor=now", { token }))
    if (options.synchronous) await waitForStandby(primary)

    const acknowledged = new Set<string>()
    const otherStatuses = new Set<number>()
    const state = { isOver: false, next: 0 }
    const writer = async (url: string) => {
      while (!state.isOver) {
        const answer = await ask(url, "POST", "/things", {
          token,
          body: { list_id: id, text: `thing ${state.next++}` }
        })
        if (answer.status !== 201) otherStatuses.add(answer.status)
        else acknowledged.add(json<{ readonly thing: { readonly id: string } }>(answer).thing.id)
      }
    }
    const load = Promise.all(Array.from({ length: 12 }, (_, n) => writer(hosts[n % 2]!.url)))
    await until("enough writes", () => acknowledged.size >= 300)
    // An asynchronous standby loses what it has not received when the primary ends.
    const stopped = options.synchronous ? undefined : await pidOfReceiver(standby)
    if (stopped !== undefined) {
      process.kill(stopped, "SIGSTOP")
      const before = acknowledged.size
      await until("writes that the standby has not", () => acknowledged.size >= before + 100)
    }
    await primary.halt("kill")
    await until("a request that is refused", () => otherStatuses.has(503))
    if (stopped !== undefined) process.kill(stopped, "SIGCONT")
    await standby.sql("select pg_promote(wait => false)")
    const [after, promoted] = [acknowledged.size, performance.now()]
    await until("a write that succeeds", () => acknowledged.size > after)
    const firstSuccess = performance.now() - promoted
    await until("writes that succeed", () => acknowledged.size >= after + 100)
    state.isOver = true
    await load

    const stored = new Set((await standby.sql("select id::text from things")).map((row) => String(row["id"])))
    const fed = await thingsInFeed(hosts[1]!.url, token, cursor)
    return {
      acknowledged: acknowledged.size,
      ended: hosts.filter(({ child }) => child.exitCode !== null).length,
      firstSuccess,
      lost: [...acknowledged].filter((thing) => !stored.has(thing)).length,
      otherStatuses,
      gaps:
        [...stored].filter((thing) => !fed.has(thing)).length + [...fed].filter((thing) => !stored.has(thing)).length
    }
  } finally {
    await installation.close()
    await standby.stop()
  }
}

/** Promotes a standby while the primary still runs; returns the output of a program that starts then. */
export const comeBack = async () => {
  const primary = await startTestPostgres({ version: 15 })
  const standby = await startTestPostgres({ version: 15, follows: primary.folder })
  const lines: Array<string> = []
  try {
    await standby.sql("select pg_promote()")
    const { location, otherWritable } = await Effect.runPromise(
      Effect.flatMap(StorageAdmin, (admin) => admin.status).pipe(
        Effect.provide(PgStorage.layer({ url: Redacted.make(addressOf(primary, standby)) })),
        Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
      )
    )
    return {
      stale: `${primary.folder}:5432`,
      promoted: `${standby.folder}:5432`,
      inUse: / where (.*) is in use$/.exec(location)?.[1],
      others: otherWritable,
      said: lines.join("\n")
    }
  } finally {
    await Promise.all([standby.stop(), primary.stop()])
  }
}

/** What a dump of a standby counts, after one account with a key was made on its primary. */
export const dumpOfStandby = async () => {
  const primary = await startTestPostgres({ version: 15 })
  const standby = await startTestPostgres({ version: 15, follows: primary.folder })
  const installation = installationOver(primary, addressOf(primary, standby))
  try {
    await installation.serve()
    await installation.person()
    await until("the key on the standby", async () => {
      const [row] = await standby.sql("select count(*)::int4 as n from api_keys")
      return Number(row?.["n"]) > 0
    })
    const url = Redacted.make(`postgres:///postgres?host=${encodeURIComponent(standby.folder)}&user=postgres`)
    return await Effect.runPromise(
      Effect.flatMap(InstanceDump, ({ dump }) => dump(() => Effect.void)).pipe(Effect.provide(PgStorage.layer({ url })))
    )
  } finally {
    await installation.close()
    await standby.stop()
  }
}
