import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { Distribution } from "@lists-and-things/domain/ports/Distribution"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startCitus } from "@lists-and-things/storage-pg/testing/CitusCluster"
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import { newList, newThings } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer, Redacted } from "effect"
import { type Load, measure } from "./Load.ts"
import { type Running, startProduct } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"

const accountCount = 32
const thingsEach = 200

interface Member {
  readonly key: string
  readonly list: string
  readonly thing: string
}

const member = Effect.fnUntraced(function* (n: number) {
  const account = yield* (yield* Accounts).create({ email: `member-${n}@example.com` })
  const { token } = yield* (yield* ApiKeys).create({ account: account.id, rateLimit: 1_000_000_000 })
  const list = yield* newList(account.id)
  const things = yield* newThings(
    account.id,
    list.id,
    Array.from({ length: thingsEach }, () => ({}))
  )
  return { key: token, list: list.id, thing: things[0]!.id } satisfies Member
})

const fill = (url: Redacted.Redacted<string>): Promise<ReadonlyArray<Member>> =>
  Effect.runPromise(
    Effect.forEach(Array.from({ length: accountCount }).keys(), member).pipe(
      Effect.provide(useCases.pipe(Layer.provideMerge(PgStorage.layer({ url })), Layer.provideMerge(NodeCrypto.layer)))
    )
  )

type Request = Omit<Load, "url" | "seconds">

const reading = (members: ReadonlyArray<Member>): Request => ({
  method: "GET",
  path: "/api/v1/things",
  connections: accountCount,
  requests: members.map(({ key, thing }) => ({
    headers: { authorization: `Bearer ${key}` },
    path: `/api/v1/things/${thing}`
  }))
})

const writing = (members: ReadonlyArray<Member>): Request => ({
  method: "POST",
  path: "/api/v1/things",
  connections: accountCount,
  requests: members.map(({ key, list }) => ({
    headers: { authorization: `Bearer ${key}` },
    bodies: [JSON.stringify({ list_id: list, text: "Water the plants" })]
  }))
})

/**
 * Row 19: Citus with a coordinator and two workers, against one PostgreSQL of the same version, with the same load on
 * the same machine.
 */
export const clusterRows = async (port: number, effort: Effort): Promise<ReadonlyArray<Row>> => {
  const cluster = startCitus(port)
  const single = await startTestPostgres({ version: 15 })
  const running: Array<Running> = []
  try {
    const distribute = Effect.flatMap(Distribution, ({ distribute }) => distribute)
    await Effect.runPromise(distribute.pipe(Effect.provide(PgStorage.layer({ url: cluster.url }))))
    const sides = []
    for (const url of [cluster.url, single.url()]) {
      const members = await fill(url)
      const product = await startProduct(Redacted.value(url))
      running.push(product)
      sides.push({ members, url: product.url })
    }
    const rows: Array<Row> = []
    for (const [row, what, load] of [
      ["19.1", "GET /things/{id}, 32 accounts", reading],
      ["19.2", "POST /things, 32 accounts", writing]
    ] as const) {
      const seen: [Array<number>, Array<number>] = [[], []]
      for (let round = effort.warmUp ? 0 : 1; round <= effort.rounds; round++) {
        for (const [at, { members, url }] of sides.entries()) {
          const measured = await measure({ ...load(members), url, seconds: effort.seconds })
          if (measured.failed > 0) throw new Error(`${measured.failed} requests failed: ${what}`)
          if (round > 0) seen[at]!.push(measured.perSecond)
        }
      }
      const [distributed, alone] = seen.map(median) as [number, number]
      rows.push({
        row,
        what: `Citus, two workers, against one PostgreSQL 15: ${what}`,
        by: "throughput",
        goal: "shown: one machine has no more processors for three servers",
        ratio: distributed / alone,
        met: true,
        ours: `${distributed.toFixed(0)}/s (cluster)`,
        floor: `${alone.toFixed(0)}/s (one)`
      })
    }
    return rows
  } finally {
    for (const each of running) await each.stop()
    await single.stop()
    cluster.stop()
  }
}
