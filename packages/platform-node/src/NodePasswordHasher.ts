import { PasswordHasher } from "@lists-and-things/domain/caller/PasswordHasher"
import { normalize } from "@lists-and-things/domain/text/Normalization"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

/** Parameters that OWASP recommends; a hash takes 128 MiB of memory. */
const current = { cost: 2 ** 17, blockSize: 8, parallel: 1 } as const
const keyLength = 32
/** Stored form: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, salt and hash in base64. */
const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/

interface Parameters {
  readonly cost: number
  readonly blockSize: number
  readonly parallel: number
}

const derive = (password: Redacted.Redacted, salt: Uint8Array, { blockSize, cost, parallel }: Parameters) =>
  Effect.callback<Buffer>((resume) => {
    const options = { N: cost, r: blockSize, p: parallel, maxmem: 256 * cost * blockSize }
    scrypt(normalize(Redacted.value(password)), salt, keyLength, options, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

const hash = Effect.fnUntraced(function* (password: Redacted.Redacted) {
  const salt = randomBytes(16)
  const key = yield* derive(password, salt, current)
  const parameters = `ln=${Math.log2(current.cost)},r=${current.blockSize},p=${current.parallel}`
  return `$scrypt$${parameters}$${salt.toString("base64")}$${key.toString("base64")}`
})

const verify = Effect.fnUntraced(function* (password: Redacted.Redacted, encoded: string) {
  const match = form.exec(encoded)
  if (match === null) return false
  const [, ln, r, p, salt = "", kept = ""] = match
  const parameters = { cost: 2 ** Number(ln), blockSize: Number(r), parallel: Number(p) }
  const key = yield* derive(password, Buffer.from(salt, "base64"), parameters)
  const expected = Buffer.from(kept, "base64")
  return key.length === expected.length && timingSafeEqual(key, expected)
})

/** scrypt with a random salt per password. */
export const layer = Layer.succeed(PasswordHasher, PasswordHasher.of({ hash, verify }))
