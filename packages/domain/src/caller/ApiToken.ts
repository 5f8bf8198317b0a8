import { Effect } from "effect"
import * as Crypto from "effect/Crypto"
import { base62 } from "../text/Base62.ts"

/**
 * The text of a key: `lat_<12 base62: key id>_<43 base62: 256 random bits><6 base62: CRC-32 of all before>`
 * (docs/decisions.md#accounts-and-keys). The checksum rejects mistyped keys without a database access, and lets secret
 * scanners recognize leaked ones.
 */
export interface ApiToken {
  readonly keyId: string
  /** The 49 characters after the key id. */
  readonly secret: string
}

const form = /^lat_([0-9A-Za-z]{12})_([0-9A-Za-z]{49})$/
const checkLength = 6

/** Undefined for anything that cannot be a token: wrong form or wrong checksum. */
export const parseToken = (token: string): ApiToken | undefined => {
  const match = form.exec(token)
  if (match === null || checkOf(token.slice(0, -checkLength)) !== token.slice(-checkLength)) return undefined
  return { keyId: match[1]!, secret: match[2]! }
}

/** The key id in a text that has the form of a token; whether there is such a key is not checked. */
export const keyIdOf = (token: string): string | undefined => form.exec(token)?.[1]

export const formatToken = (token: ApiToken): string => `lat_${token.keyId}_${token.secret}`

/** A new token of 256 random bits. */
export const mintToken: Effect.Effect<ApiToken, never, Crypto.Crypto> = Effect.gen(function* () {
  const crypto = yield* Crypto.Crypto
  const keyId = base62(yield* Effect.orDie(crypto.randomBytes(16)), 12)
  const random = base62(yield* Effect.orDie(crypto.randomBytes(32)), 43)
  return { keyId, secret: random + checkOf(`lat_${keyId}_${random}`) }
})

const checkOf = (text: string): string => {
  const check = crc32(text)
  return base62([check >>> 24, (check >>> 16) & 0xff, (check >>> 8) & 0xff, check & 0xff], checkLength)
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 as in zip and PNG, of ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) crc = (crc >>> 8) ^ crcTable[(crc ^ text.charCodeAt(at)) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}
