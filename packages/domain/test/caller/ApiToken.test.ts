import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crypto from "effect/Crypto"
import * as fc from "fast-check"
import { crc32 } from "node:zlib"
import { formatToken, mintToken, parseToken } from "../../src/caller/ApiToken.ts"
import { hashOf, sameHash } from "../../src/caller/Hashing.ts"
import { base62 } from "../../src/text/Base62.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const minted = Effect.map(Effect.provide(mintToken, NodeCrypto.layer), formatToken)

describe("a key's token", () => {
  it.effect("has the documented form and is parsed back", () =>
    Effect.gen(function* () {
      const token = yield* minted
      expect(token).toMatch(/^lat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
      const parsed = parseToken(token)
      expect(parsed === undefined ? undefined : formatToken(parsed)).toBe(token)
    })
  )

  it.effect("ends in the CRC-32 of all characters before it", () =>
    Effect.gen(function* () {
      const token = yield* minted
      let check = 0
      for (const digit of token.slice(-6)) check = check * 62 + digits.indexOf(digit)
      expect(check).toBe(crc32(token.slice(0, -6)))
    })
  )

  it.effect("is refused with one character changed, two swapped, cut or extended", () =>
    Effect.gen(function* () {
      const token = yield* minted
      for (let at = 0; at < token.length; at++) {
        for (const digit of digits) {
          if (digit === token[at]) continue
          expect(parseToken(token.slice(0, at) + digit + token.slice(at + 1))).toBeUndefined()
        }
        const swapped = token.slice(0, at) + (token[at + 1] ?? "") + token[at]! + token.slice(at + 2)
        if (swapped !== token) expect(parseToken(swapped)).toBeUndefined()
        expect(parseToken(token.slice(0, at))).toBeUndefined()
      }
      for (const wrong of [`${token}0`, ` ${token}`, `${token}\n`, "", "lat__"])
        expect(parseToken(wrong)).toBeUndefined()
    })
  )

  it.effect("is unique in id and secret", () =>
    Effect.gen(function* () {
      const tokens = yield* Effect.all(Array.from({ length: 200 }, () => minted))
      expect(new Set(tokens.map((token) => token.slice(4, 16))).size).toBe(200)
      expect(new Set(tokens.map((token) => token.slice(17))).size).toBe(200)
    })
  )

  it.effect("is stored as the SHA-256 of its secret", () =>
    Effect.gen(function* () {
      const hash = yield* hashOf(yield* Crypto.Crypto, "abc")
      expect(hash).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }).pipe(Effect.provide(NodeCrypto.layer))
  )

  it("is compared by all characters of its hash", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => sameHash(a, b) === (a === b)))
    expect(sameHash("ab", "ab")).toBe(true)
    expect(sameHash("ab", "abc")).toBe(false)
  })

  it("encodes 256 bits in 43 digits without loss", () => {
    const max = base62(new Uint8Array(32).fill(255), 43)
    let value = 0n
    for (const digit of max) value = value * 62n + BigInt(digits.indexOf(digit))
    expect(value).toBe((1n << 256n) - 1n)
  })
})
