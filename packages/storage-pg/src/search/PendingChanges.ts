import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { Effect, Exit } from "effect"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"

/** Least milliseconds between two merges of one process. */
const pauseMillis = 1_000

/** Nothing where the indexes are not there. */
const merge = `select gin_clean_pending_list(c.oid) from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relname = any ($1::text[]) and c.relkind = 'i'`

/**
 * An effect that has the search indexes merge their pending lists in the background (ADR 11). To be run with a search:
 * every search reads those lists, and the next one then finds them empty. Writes of which nobody searches anything are
 * merged by the thousand, as the server does it by itself.
 *
 * It never waits and never fails. A process that may not do so, such as one on a standby or one that does not own the
 * indexes, tries once.
 */
export const makeMergePendingChanges = Effect.gen(function* () {
  const db = yield* Database
  const { isDistributed } = yield* Engine
  const scope = yield* Effect.scope
  // Not the context of a search, which may be part of a transaction.
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let isRefused = isDistributed
  let lastAt = Number.NEGATIVE_INFINITY

  const mergeAll = Effect.map(Effect.exit(db.readLong(merge, [["things_search", "lists_search"]])), (exit) => {
    isRefused = Exit.hasDies(exit)
  })

  return Effect.map(currentTime, (now) => {
    if (isRefused || Math.abs(now - lastAt) < pauseMillis) return
    lastAt = now
    run(Effect.forkIn(mergeAll, scope))
  })
})
