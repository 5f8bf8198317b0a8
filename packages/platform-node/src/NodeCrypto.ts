import * as NodeCrypto from "node:crypto"
import { Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"

const algorithms = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" } as const

/** Goes through hex, since Node allocates separate memory for each binary digest, which takes four times as long. */
const digestOf = (algorithm: keyof typeof algorithms, data: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.from(NodeCrypto.hash(algorithms[algorithm], data, "hex"), "hex"))

const crypto = Crypto.make({
  randomBytes: NodeCrypto.randomBytes,
  digest: (algorithm, data) => Effect.sync(() => digestOf(algorithm, data))
})

/** Uses Node's native functions if they exist, for speed: every request needs an id and a hash, some need 500 ids. */
export const layer = Layer.succeed(Crypto.Crypto, {
  ...crypto,
  randomUUIDv7: ((options?: { readonly format: "bytes" }) =>
    options?.format === "bytes" || NodeCrypto.randomUUIDv7 === undefined
      ? crypto.randomUUIDv7(options as never)
      : Effect.sync(() => NodeCrypto.randomUUIDv7())) as Crypto.Crypto["randomUUIDv7"]
})
