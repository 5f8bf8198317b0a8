import { NodeCrypto } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { CurrentTimeSlices } from "@lists-and-things/domain/scheduling/TimeSlices"
import { useCases } from "@lists-and-things/domain/UseCases"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"

/** The number of calls of each method of the stores, such as `ListStore.byTitles`. */
export class Calls extends Context.Service<Calls, Map<string, number>>()("test/Calls") {}

const counted = <A extends object>(name: string, port: A, calls: Map<string, number>): A =>
  new Proxy(port, {
    get: (target, method) => {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>): unknown => {
        const called = `${name}.${String(method)}`
        calls.set(called, (calls.get(called) ?? 0) + 1)
        return Reflect.apply(value, target, args)
      }
    }
  })

const stores = Layer.effectContext(
  Effect.gen(function* () {
    const calls = yield* Calls
    return Context.mergeAll(
      Context.make(ListStore, counted("ListStore", yield* ListStore, calls)),
      Context.make(ThingStore, counted("ThingStore", yield* ThingStore, calls)),
      Context.make(ReminderStore, counted("ReminderStore", yield* ReminderStore, calls))
    )
  })
)

/** The use cases over memory storage, with counted calls of the stores. */
export const countedUseCases = useCases.pipe(
  Layer.provideMerge(Layer.provideMerge(stores, memory)),
  Layer.provideMerge(Layer.sync(Calls, () => new Map())),
  Layer.provideMerge(NodeCrypto.layer)
)

/** Runs an effect; returns its calls of the stores. */
export const callsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const calls = yield* Calls
    calls.clear()
    yield* effect
    return Object.fromEntries(calls)
  })

/** Runs an effect; returns its result, and how often other requests could run meanwhile. */
export const pausesOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  let pauses = 0
  const yieldNow = Effect.sync(() => void pauses++)
  const result = yield* Effect.provideService(effect, CurrentTimeSlices, { isDue: () => true, yieldNow })
  return { pauses, result }
})
