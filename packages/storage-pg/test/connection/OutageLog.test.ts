import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { makeOutageLog } from "../../src/connection/OutageLog.ts"

const unreachable = new SqlError({
  reason: new ConnectionError({ cause: new Error("connect ECONNREFUSED 127.0.0.1:5432"), operation: "connect" })
})

/** An error as the server returns it. */
const refusal = (code: string, message: string) =>
  new SqlError({
    reason: new UnknownError({
      cause: Object.assign(new Error(message), { code, severity: "ERROR" }),
      operation: "execute"
    })
  })
const full = refusal("53100", "could not extend file")
const forbidden = refusal("42501", "permission denied for table things")
const crowded = new SqlError({
  reason: new ConnectionError({
    cause: Object.assign(new Error("too many connections for role"), { code: "53300", severity: "FATAL" }),
    operation: "connect"
  })
})
const readOnly = refusal("25006", "cannot execute INSERT in a read-only transaction")

describe("the log of a database that fails", () => {
  const given = Effect.gen(function* () {
    const lines: Array<string> = []
    const state = { answers: true }
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    const log = yield* Effect.provide(
      makeOutageLog(Effect.suspend(() => (state.answers ? Effect.void : Effect.fail("down")))),
      logger
    )
    const report = (failure: SqlError) => Effect.provide(log.report(failure), logger)
    const said = () => lines.splice(0)
    return { log, report, said, state }
  })

  it.effect("has a line when the database cannot be reached, and one when it answers again", () =>
    Effect.gen(function* () {
      const { log, report, said, state } = yield* given
      yield* log.begin
      const down =
        "The database cannot be reached (connect ECONNREFUSED 127.0.0.1:5432): requests are answered 503 until it can."
      for (let time = 0; time < 2; time++) {
        state.answers = false
        yield* report(unreachable)
        yield* report(unreachable)
        yield* TestClock.adjust("1 minute")
        yield* report(unreachable)
        expect(said()).toStrictEqual([down])
        state.answers = true
        yield* TestClock.adjust("1 second")
        expect(said()).toStrictEqual(["The database answers again."])
      }
      yield* TestClock.adjust("1 hour")
      expect(said()).toStrictEqual([])
    })
  )

  it.effect("has a line per minute for each kind of refusal", () =>
    Effect.gen(function* () {
      const { log, report, said } = yield* given
      yield* log.begin
      const refuse = Effect.forEach([full, full, readOnly, forbidden, crowded, crowded], report)
      yield* refuse
      expect(said()).toStrictEqual([
        "The disk of the database is full (could not extend file): writes are refused (507), reads go on. Make room there; writes are accepted again by themselves.",
        "The database refused a statement (cannot execute INSERT in a read-only transaction): its request is answered 503.",
        "The database refused a statement (permission denied for table things): its request is answered 503. The role of DATABASE_URL needs to own the database or its schema.",
        "The database has no connection left (too many connections for role): requests that need a new one are answered 503, the others go on. Raise max_connections, or the limit of the role or of the database, or end what else is connected."
      ])
      yield* TestClock.adjust("59 seconds")
      yield* refuse
      expect(said()).toStrictEqual([])
      yield* TestClock.adjust("1 second")
      yield* refuse
      expect(said().length).toBe(4)
    })
  )

  it.effect("has no line before the storage is open", () =>
    Effect.gen(function* () {
      const { report, said } = yield* given
      yield* report(unreachable)
      yield* report(full)
      expect(said()).toStrictEqual([])
    })
  )
})
