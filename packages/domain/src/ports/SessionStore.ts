import { Context } from "effect"
import type { Outdated } from "../days/ClockSkew.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Session } from "../model/Grant.ts"
import type { Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/**
 * Browser sessions, and the attempts that the attempt limiter counts (docs/sign-in.md). A cookie names a session and no
 * account, so its hash comes first.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Stores a new session. */
    readonly put: (session: Session) => Stored<void>
    /** Also a session that has expired. */
    readonly get: (hash: string) => Stored<Session | undefined>
    /** Ends one session; an unknown one is ended already. */
    readonly remove: (hash: string) => Stored<void>
    /** Ends every session of the account. */
    readonly removeOf: (owner: AccountId) => Stored<void>
    /**
     * Counts an attempt under a key, such as that of an account or an address, and returns the number of attempts in its window,
     * including this one. A window begins with the first attempt after the last one ended; one that begins in the
     * future (`ClockSkew`) is over. Atomic.
     */
    readonly countAttempt: (key: string, now: EpochMillis, windowMillis: number) => Stored<number>
    /** Ends the window of a key: the next attempt is the first one again. */
    readonly forgetAttempts: (key: string) => Stored<void>
    /** Removes at most `max` sessions by expiry, oldest first; returns how many. */
    readonly pruneSessions: (expires: Outdated, max: number) => Stored<number>
    /** Like `pruneSessions`, for counted attempts, by the start of their window. */
    readonly pruneAttempts: (began: Outdated, max: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/SessionStore") {}
