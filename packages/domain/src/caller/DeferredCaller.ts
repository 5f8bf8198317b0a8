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

/** Admits a request together with its first read; `found` is the result of that read. */
export type AdmitWith = <A>(
  read: (account: Account) => Effect.Effect<A, StorageUnavailable>
) => Effect.Effect<{ readonly admitted: Admitted; readonly found: Effect.Effect<A, StorageUnavailable> }, Refusal>

type Service = Caller["Service"]

/**
 * The caller of a request whose admission is deferred: the request is admitted once, together with the first read of its
 * use case, or on its own where there is none. Until then the caller has no account, scopes or name; asking for them is
 * a defect.
 */
export class DeferredCaller implements Service {
  readonly #admitWith: AdmitWith
  readonly #admit: () => Effect.Effect<Admitted, Refusal>
  #decision: Result.Result<Admitted, Refusal> | undefined

  /** `admit` admits a request that begins without a read. */
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

  /** The outcome of the admission; undefined before it. */
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

  /** Admits the request, unless that was done already. */
  get admitted(): Effect.Effect<Admitted, Refusal> {
    return Effect.suspend(() => {
      if (this.#decision !== undefined) return Effect.fromResult(this.#decision)
      return Effect.matchEffect(this.#admit(), {
        onFailure: (refusal) => this.#refused(refusal),
        onSuccess: (admitted) => this.#accepted(admitted, Effect.succeed(admitted))
      })
    })
  }

  admitWith<A>(read: (account: Account) => Effect.Effect<A, StorageUnavailable>): Effect.Effect<A, Refusal> {
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
