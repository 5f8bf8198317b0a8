import { Context } from "effect"
import type { AccountId } from "../Ids.ts"
import type { Session } from "../signin/Grant.ts"
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
    /** Removes sessions that expired before, and attempts whose window began a day before or in the future; how many. */
    readonly prune: (expiredBefore: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/SessionStore") {}
