import { Context, Effect, Layer } from "effect"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"

/** The present state of the storage. */
export class Breaker extends Context.Service<Breaker, { state: "whole" | "away" | "faulty" | "keys away" }>()(
  "test/Breaker"
) {}

const fault = (breaker: Breaker["Service"], isKeys: boolean): Effect.Effect<void, StorageUnavailable> => {
  if (breaker.state === "faulty" && !isKeys) return Effect.die(new Error("internals: select * from secrets"))
  if (breaker.state === (isKeys ? "keys away" : "away"))
    return Effect.fail(new StorageUnavailable({ outcome: "not-applied" }))
  return Effect.void
}

/** The same port, which consults the breaker before each use. */
const breakable = <A extends object>(port: A, breaker: Breaker["Service"], isKeys = false): A =>
  new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      const guarded = (effect: Effect.Effect<unknown>) =>
        Effect.andThen(
          Effect.suspend(() => fault(breaker, isKeys)),
          effect
        )
      if (Effect.isEffect(value)) return guarded(value as Effect.Effect<unknown>)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>) => {
        const result: unknown = Reflect.apply(value, target, args)
        return Effect.isEffect(result) ? guarded(result as Effect.Effect<unknown>) : result
      }
    }
  })

/** The memory adapter, which can be taken away and broken at run time. */
export const breakableStorage = Layer.effectContext(
  Effect.gen(function* () {
    const whole = yield* Layer.build(memory)
    const breaker = Breaker.of({ state: "whole" })
    const wrap = <I, S extends object>(key: Context.Key<I, S>, isKeys = false) =>
      Context.make(key, breakable(Context.getUnsafe(whole as Context.Context<I>, key), breaker, isKeys))
    return whole.pipe(
      Context.merge(wrap(Storage)),
      Context.merge(wrap(AccountStore)),
      Context.merge(wrap(KeyStore, true)),
      Context.merge(wrap(ListStore)),
      Context.merge(wrap(ThingStore)),
      Context.merge(wrap(ReminderStore)),
      Context.merge(wrap(PlaceStore)),
      Context.merge(wrap(HistoryStore)),
      Context.merge(wrap(IdempotencyStore)),
      Context.merge(wrap(WebhookStore)),
      Context.merge(Context.make(Breaker, breaker))
    )
  })
)
