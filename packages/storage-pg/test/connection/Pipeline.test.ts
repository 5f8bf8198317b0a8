import { expect, it } from "@effect/vitest"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Context, Deferred, Effect, Exit } from "effect"
import { ConcurrencyLimiter } from "../../src/connection/ConcurrencyLimiter.ts"
import type { ConnectionPool } from "../../src/connection/ConnectionPool.ts"
import { InFlight } from "../../src/connection/InFlight.ts"
import { Pipeline } from "../../src/connection/Pipeline.ts"

const connection = {} as PgConnection
const pool: ConnectionPool = {
  connections: undefined as never,
  limiter: new ConcurrencyLimiter(1, 1),
  inFlight: new InFlight(),
  slowMillis: Number.POSITIVE_INFINITY,
  isTraced: false,
  prepare: false,
  transactionSettings: undefined,
  noticed: undefined
}

it("requests that are gathered before a flush go out together, and each gets its own answer", () => {
  const pipeline = new Pipeline(pool, connection, () => undefined)
  const batches: Array<ReadonlyArray<string>> = []
  const run = (requests: ReadonlyArray<string>) => {
    batches.push(requests)
    return Effect.succeed(requests.map((request) => request.toUpperCase()))
  }
  const answers: Array<string> = []
  for (const request of ["first", "second", "third"])
    pipeline.gather(run, request, (exit) => answers.push(`${request}: ${Exit.isSuccess(exit) ? exit.value : "failed"}`))
  expect([batches, pipeline.isOpen]).toStrictEqual([[], true])
  pipeline.flush(Context.empty())
  expect(batches).toStrictEqual([["first", "second", "third"]])
  expect(answers).toStrictEqual(["first: FIRST", "second: SECOND", "third: THIRD"])
  expect(pipeline.isOpen).toBe(false)
})

it.live("the connection is held until every statement of a flush is answered, and given back once", () =>
  Effect.gen(function* () {
    let timesAnswered = 0
    const pipeline = new Pipeline(pool, connection, () => timesAnswered++)
    const answers = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const exits: Array<unknown> = []
    for (const answer of answers)
      pipeline.start(
        pipeline.send({ reading: () => Deferred.await(answer), sql: "select 1" }),
        Context.empty(),
        (exit) => exits.push(exit)
      )
    pipeline.flush(Context.empty())
    for (const [at, answer] of answers.entries()) {
      expect([exits.length, timesAnswered]).toStrictEqual([at, 0])
      yield* Deferred.succeed(answer, undefined)
      yield* Effect.replicateEffect(Effect.yieldNow, 5)
    }
    expect([exits.length, timesAnswered]).toStrictEqual([2, 1])
  })
)
