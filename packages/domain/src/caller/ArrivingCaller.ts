import { Effect, Result } from "effect"
import type { Account } from "../model/Account.ts"
import type { Caller, Refusal } from "../model/Caller.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { Admitted } from "./ApiKeys.ts"

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
  #decision: Result.Result<Admitted, Refusal> | undefined

  constructor(admitWith: AdmitWith) {
    this.#admitWith = admitWith
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
  readonly admitted: Effect.Effect<Admitted, Refusal> = Effect.suspend(() =>
    this.#decision === undefined
      ? Effect.andThen(
          this.arrive(() => Effect.void),
          Effect.suspend(() => this.admitted)
        )
      : Effect.fromResult(this.#decision)
  )

  arrive<A>(read: (account: Account) => Effect.Effect<A, StorageUnavailable>): Effect.Effect<A, Refusal> {
    if (this.#decision !== undefined) return Effect.flatMap(this.admitted, ({ caller }) => read(caller.account))
    return Effect.flatMap(Effect.result(this.#admitWith(read)), (result) => {
      this.#decision = Result.map(result, ({ admitted }) => admitted)
      return Result.isFailure(result) ? Effect.fail(result.failure) : result.success.found
    })
  }

  get #known(): Caller["Service"] {
    if (this.#decision === undefined || Result.isFailure(this.#decision))
      throw new Error("This request is not admitted: callerReading comes first")
    return this.#decision.success.caller
  }
}
