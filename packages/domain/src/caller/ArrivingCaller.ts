import { Effect, Result } from "effect"
import type { Account } from "../model/Account.ts"
import type { Caller, Refusal } from "../model/Caller.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"

/** An admitted request, with the state of the key's rate limit window for response headers. */
export interface Admitted {
  readonly caller: Caller["Service"]
  /** Requests per hour. */
  readonly limit: number
  /** Left in this window after this request. */
  readonly remaining: number
  /** The end of the window, exclusive. */
  readonly resetAt: EpochMillis
}

/** Admits a request, and says what was read along with it. */
export type AdmitWith = <A>(
  read: (account: Account) => Effect.Effect<A, StorageUnavailable>
) => Effect.Effect<{ readonly admitted: Admitted; readonly found: Effect.Effect<A, StorageUnavailable> }, Refusal>

type Service = Caller["Service"]

/**
 * The caller of a request that is admitted once: with the first read of its use case, or on its own where there was none.
 * Until then it has no account, scopes or name; asking for them is a defect.
 */
export class ArrivingCaller implements Service {
  readonly #admitWith: AdmitWith
  readonly #admit: () => Effect.Effect<Admitted, Refusal>
  #decision: Result.Result<Admitted, Refusal> | undefined

  /** `admit` is for a request that begins without a read. */
  constructor(
    admitWith: AdmitWith,
    admit: () => Effect.Effect<Admitted, Refusal> = () =>
      Effect.map(
        admitWith(() => Effect.void),
        ({ admitted }) => admitted
      )
  ) {
    this.#admitWith = admitWith
    this.#admit = admit
  }

  /** Undefined until it is known. */
  get decision(): Result.Result<Admitted, Refusal> | undefined {
    return this.#decision
  }

  get account() {
    return this.#known.account
  }
  get scopes() {
    return this.#known.scopes
  }
  get stamps() {
    return this.#known.stamps
  }
  get by() {
    return this.#known.by
  }

  /** Whether and how the request was admitted; admits it now if that has not been asked yet. */
  get admitted(): Effect.Effect<Admitted, Refusal> {
    return Effect.suspend(() => {
      if (this.#decision !== undefined) return Effect.fromResult(this.#decision)
      return Effect.matchEffect(this.#admit(), {
        onFailure: (refusal) => this.#refused(refusal),
        onSuccess: (admitted) => this.#accepted(admitted, Effect.succeed(admitted))
      })
    })
  }

  arrive<A>(read: (account: Account) => Effect.Effect<A, StorageUnavailable>): Effect.Effect<A, Refusal> {
    if (this.#decision !== undefined) return Effect.flatMap(this.admitted, ({ caller }) => read(caller.account))
    return Effect.matchEffect(this.#admitWith(read), {
      onFailure: (refusal) => this.#refused(refusal),
      onSuccess: ({ admitted, found }) => this.#accepted(admitted, found)
    })
  }

  #refused(refusal: Refusal): Effect.Effect<never, Refusal> {
    this.#decision = Result.fail(refusal)
    return Effect.fail(refusal)
  }

  #accepted<A>(admitted: Admitted, next: A): A {
    this.#decision = Result.succeed(admitted)
    return next
  }

  get #known(): Caller["Service"] {
    if (this.#decision === undefined || Result.isFailure(this.#decision))
      throw new Error("This request is not admitted: callerReading comes first")
    return this.#decision.success.caller
  }
}
