import { isRunning } from "@lists-and-things/domain/days/ClockSkew"
import { SessionStore } from "@lists-and-things/domain/ports/SessionStore"
import type { Session } from "@lists-and-things/domain/model/Grant"
import { Effect, Layer } from "effect"
import { Database } from "../Database.ts"
import { prune } from "../Pruning.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

interface Attempts {
  readonly began: EpochMillis
  readonly count: number
}

const make = (database: Database["Service"]): SessionStore["Service"] => {
  const sessions = new Map<string, Session>()
  const attempts = new Map<string, Attempts>()

  return SessionStore.of({
    put: (session) => Effect.sync(() => void sessions.set(session.hash, session)),
    get: (hash) =>
      Effect.suspend(() => {
        const session = sessions.get(hash)
        return session === undefined ? Effect.succeed(undefined) : database.read(session.owner, () => session)
      }),
    remove: (hash) => Effect.sync(() => void sessions.delete(hash)),
    removeOf: (owner) =>
      Effect.sync(() => {
        for (const [hash, session] of sessions) if (session.owner === owner) sessions.delete(hash)
      }),
    countAttempt: (key, now, windowMillis) =>
      Effect.sync(() => {
        const before = attempts.get(key)
        const isSame = before !== undefined && isRunning(before.began, windowMillis, now)
        const next = isSame ? { began: before.began, count: before.count + 1 } : { began: now, count: 1 }
        attempts.set(key, next)
        return next.count
      }),
    forgetAttempts: (key) => Effect.sync(() => void attempts.delete(key)),
    pruneSessions: (expires, max) => Effect.sync(() => prune(sessions, (session) => session.expires, expires, max)),
    pruneAttempts: (began, max) => Effect.sync(() => prune(attempts, (each) => each.began, began, max))
  })
}

export const sessionStoreLayer = Layer.effect(SessionStore, Effect.map(Database, make))
