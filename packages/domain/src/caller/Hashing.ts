import { Effect } from "effect"
import type * as Crypto from "effect/Crypto"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"

/** SHA-256 in lower-case hex, the only form in which a secret is stored. */
export const hashOf = (crypto: Crypto.Crypto, text: string): Effect.Effect<string> =>
  Effect.map(Effect.orDie(crypto.digest("SHA-256", new TextEncoder().encode(text))), (digest) => Hex.encode(digest))

/** A new opaque secret of 256 random bits, with its hash; only the hash is stored. */
export const mintSecret = Effect.fnUntraced(function* (crypto: Crypto.Crypto, prefix: string) {
  const secret = prefix + Base64Url.encode(yield* Effect.orDie(crypto.randomBytes(32)))
  return { secret, hash: yield* hashOf(crypto, secret) }
})

/** Compares two hashes in time that depends only on their lengths. */
export const sameHash = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}

const blockBytes = 64

/** HMAC-SHA-256 (RFC 2104). */
export const hmac = Effect.fnUntraced(function* (crypto: Crypto.Crypto, key: string, text: string) {
  const digest = (...parts: ReadonlyArray<Uint8Array>) =>
    Effect.orDie(crypto.digest("SHA-256", Uint8Array.from(parts.flatMap((part) => [...part]))))
  const given = new TextEncoder().encode(key)
  const block = new Uint8Array(blockBytes)
  block.set(given.length > blockBytes ? yield* digest(given) : given)
  const inner = yield* digest(
    block.map((byte) => byte ^ 0x36),
    new TextEncoder().encode(text)
  )
  return yield* digest(
    block.map((byte) => byte ^ 0x5c),
    inner
  )
})
