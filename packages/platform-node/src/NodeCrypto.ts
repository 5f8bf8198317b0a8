import * as NodeCrypto from "node:crypto"
import { Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"

const algorithms = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" } as const

const crypto = Crypto.make({
  randomBytes: NodeCrypto.randomBytes,
  digest: (algorithm, data) => Effect.sync(() => new Uint8Array(NodeCrypto.hash(algorithms[algorithm], data, "buffer")))
})

/** Node's own, where it has them: an id and a hash are made for every request, and 500 ids for some. */
export const layer = Layer.succeed(Crypto.Crypto, {
  ...crypto,
  randomUUIDv7: ((options?: { readonly format: "bytes" }) =>
    options?.format === "bytes" || NodeCrypto.randomUUIDv7 === undefined
      ? crypto.randomUUIDv7(options as never)
      : Effect.sync(() => NodeCrypto.randomUUIDv7())) as Crypto.Crypto["randomUUIDv7"]
})
