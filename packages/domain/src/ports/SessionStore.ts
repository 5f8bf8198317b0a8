import { Context } from "effect"
import type { Outdated } from "../scheduling/ClockSkew.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Session } from "../model/Grant.ts"
import type { Stored } from "./Storage.ts"

export class SessionStore extends Context.Service<
  SessionStore,
  {
    readonly put: (session: Session) => Stored<void>
    readonly get: (hash: string) => Stored<Session | undefined>
    readonly remove: (hash: string) => Stored<void>
    readonly removeOf: (owner: AccountId) => Stored<void>
    /**
     * Counts one more attempt under a key (an account's, an address's) and answers how many its window has
     * counted, this one included. A window begins with the first attempt after the last one ended; one that begins
     * in the future (`ClockSkew`) is over. Atomic.
     */
    readonly countAttempt: (key: string, now: number, windowMillis: number) => Stored<number>
    readonly forgetAttempts: (key: string) => Stored<void>
    /** Removes sessions by when they expire, at most so many, the oldest first; how many. */
    readonly pruneSessions: (expires: Outdated, most: number) => Stored<number>
    /** The same for counted attempts, by when their window began. */
    readonly pruneAttempts: (began: Outdated, most: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/SessionStore") {}
