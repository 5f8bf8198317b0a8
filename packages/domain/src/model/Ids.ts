import { Context, Effect, Layer, Schema } from "effect"
import * as Crypto from "effect/Crypto"

/** Ids are opaque to clients; ours are UUIDs of version 7, so they sort by creation time. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type
export const ListId = Schema.String.pipe(Schema.brand("ListId"))
export type ListId = typeof ListId.Type
export const ThingId = Schema.String.pipe(Schema.brand("ThingId"))
export type ThingId = typeof ThingId.Type
export const ReminderId = Schema.String.pipe(Schema.brand("ReminderId"))
export type ReminderId = typeof ReminderId.Type
export const PlaceId = Schema.String.pipe(Schema.brand("PlaceId"))
export type PlaceId = typeof PlaceId.Type

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string has the form of our ids. Adapters treat every other string as an unknown id. */
export const isIdForm = (id: string): boolean => uuid.test(id)

/** Generates ids; a port so that tests are deterministic. */
export class Ids extends Context.Service<
  Ids,
  {
    readonly next: Effect.Effect<string>
  }
>()("@lists-and-things/domain/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const crypto = yield* Crypto.Crypto
      return Ids.of({ next: Effect.orDie(crypto.randomUUIDv7()) })
    })
  )
}
