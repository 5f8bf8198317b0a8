import { Context, Effect, Layer, Schema } from "effect"
import * as Crypto from "effect/Crypto"
import { compareText } from "../text/TextFold.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** Ids are opaque to clients; ours are UUIDs of version 7, so they sort by creation time, those of one process strictly. */
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
export const WebhookId = Schema.String.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type
export const DeliveryId = Schema.String.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string has the form of our ids. Adapters treat every other string as an unknown id. */
export const isIdForm = (id: string): boolean => uuid.test(id)

/** The order of ids, by UTF-16 code units in every adapter. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => compareText(a.id, b.id)

/** Latest `field` first; of equal ones, the highest id first. */
export const newestFirst =
  <K extends "created" | "updated">(field: K) =>
  <A extends { readonly id: string } & Readonly<Record<K, EpochMillis>>>(a: A, b: A): number =>
    b[field] - a[field] || byId(b, a)

/** Where the part of an id ends that says when: 48 bits of milliseconds, the version, and 12 bits within a millisecond. */
const orderedEnd = "00000000-0000-7000".length

/**
 * `fresh`, or where that does not sort behind `last`, the next one in order with the random end of `fresh`: ids of one
 * millisecond, and those made after a clock went back, rise as well (RFC 9562, section 6.2, method 1).
 */
export const risingId = (last: string, fresh: string): string => {
  if (fresh > last) return fresh
  const low = Number.parseInt(last.slice(9, 13) + last.slice(15, orderedEnd), 16) + 1
  if (low <= 0xfffffff) {
    const next = low.toString(16).padStart(7, "0")
    return `${last.slice(0, 9)}${next.slice(0, 4)}-7${next.slice(4)}${fresh.slice(orderedEnd)}`
  }
  const digits = last.slice(0, 8) + last.slice(9, 13) + last.slice(15, orderedEnd)
  const next = (BigInt(`0x${digits}`) + 1n).toString(16).padStart(digits.length, "0")
  return `${next.slice(0, 8)}-${next.slice(8, 12)}-7${next.slice(12)}${fresh.slice(orderedEnd)}`
}

/** Generates ids, each behind the ones before it; a port so that tests are deterministic. */
export class Ids extends Context.Service<
  Ids,
  {
    /** A UUID of version 7. */
    readonly next: Effect.Effect<string>
  }
>()("@lists-and-things/domain/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const crypto = yield* Crypto.Crypto
      let last = ""
      const next = Effect.map(Effect.orDie(crypto.randomUUIDv7()), (fresh) => (last = risingId(last, fresh)))
      return Ids.of({ next })
    })
  )
}
