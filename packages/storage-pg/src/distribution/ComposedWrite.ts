import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"

/** A statement that inserts rows of an account, for what a query finds. */
interface Inserting {
  /** The table, and its columns after `owner_id`. */
  readonly into: readonly [table: string, columns: string]
  readonly values: string
  readonly from: string
  readonly where?: string
  /** `on conflict …` or `returning …`. */
  readonly ending?: string
}

/** A statement with CTEs of its own; those may write as well, but not insert. */
interface Changing {
  readonly with?: ReadonlyArray<string>
  readonly sql: string
}

export type Writing = Inserting | Changing

/** A statement with some of the parameters of a whole, by their numbers there. */
interface Step {
  readonly sql: string
  readonly numbers: ReadonlyArray<number>
}

/** A write that is one statement where all data is on one server, and one for each of its steps where it is on several. */
export interface ComposedWrite {
  readonly whole: string
  readonly apart: ReadonlyArray<Step>
}

const withCtes = (ctes: ReadonlyArray<string>, sql: string): string =>
  ctes.length === 0 ? sql : `with ${ctes.join(", ")} ${sql}`

/** Numbers the parameters that it has from 1 on. */
const stepOf = (text: string): Step => {
  const numbers = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))]
  return { sql: text.replaceAll(/\$(\d+)/g, (_, number) => `$${numbers.indexOf(Number(number)) + 1}`), numbers }
}

const ctesOf = (step: Writing): ReadonlyArray<string> => ("into" in step ? [] : (step.with ?? []))

const inWhole = (step: Writing): string => {
  if (!("into" in step)) return step.sql
  const { from, into, ending = "", values, where = "true" } = step
  return `insert into ${into[0]} (owner_id, ${into[1]}) select $1::uuid, ${values} from ${from} where ${where} ${ending}`
}

/** CTEs before an `insert` would name tables for which Citus has shards. */
const byItself = (reads: ReadonlyArray<string>, step: Writing): string => {
  if (!("into" in step)) return withCtes([...reads, ...ctesOf(step)], step.sql)
  const { from, into, ending = "", values, where = "true" } = step
  const query = `select w.owner_id, ${values} from write_clocks w cross join ${from} where w.owner_id = $1 and (${where})`
  return `insert into ${into[0]} (owner_id, ${into[1]}) ${withCtes(reads, query)} ${ending}`
}

/**
 * A write in these steps. All of them may use the CTEs `reads`, and none what another one has found: on one server every
 * step sees the state before the first, on several that after the one before it.
 *
 * Citus carries out a statement with an `insert` in a CTE, and one that inserts the rows of a query without a distributed
 * table, part by part over the coordinator, and commits it in two phases. So there a step inserts at most once, for an
 * owner that it reads from `write_clocks` (docs/adr/0087-write-clocks-and-citus.md#a-write-in-one-phase).
 */
export const composeWrite = (
  reads: ReadonlyArray<string>,
  steps: readonly [Writing, ...ReadonlyArray<Writing>]
): ComposedWrite => {
  const [last] = steps.slice(-1) as [Writing]
  const earlier = steps.slice(0, -1).flatMap((step, at) => [...ctesOf(step), `step_${at + 1} as (${inWhole(step)})`])
  return {
    whole: withCtes([...reads, ...earlier, ...ctesOf(last)], inWhole(last)),
    apart: steps.map((step) => stepOf(byItself(reads, step)))
  }
}

/** Runs a write. `run` is given the statement of its last step, whose rows are those of the write. */
export const runComposed = <A>(
  db: Database["Service"],
  { apart, whole }: ComposedWrite,
  params: Params,
  run: (sql: string, params: Params) => Stored<A>
): Stored<A> => {
  if (!db.planning.isDistributed) return run(whole, params)
  const through = <B>({ numbers, sql }: Step, each: (sql: string, params: Params) => Stored<B>) =>
    each(
      sql,
      numbers.map((number) => params[number - 1] as Params[number])
    )
  const [last] = apart.slice(-1) as [Step]
  const earlier = apart.slice(0, -1)
  const all = Effect.andThen(
    Effect.forEach(earlier, (step) => through(step, db.send), { discard: true }),
    through(last, run)
  )
  return earlier.length === 0 ? all : db.transaction(all)
}
