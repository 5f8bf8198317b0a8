import { Effect } from "effect"
import type * as Crypto from "effect/Crypto"
import * as Base64Url from "effect/encoding/Base64Url"
import { sameHash } from "../caller/Hashing.ts"

export const accessPrefix = "lat_at_"
export const refreshPrefix = "lat_rt_"

/** Checks the form only; the storage decides whether it is valid. */
export const isAccessToken = (token: string): boolean => token.startsWith(accessPrefix)

const challengeForm = /^[A-Za-z0-9_-]{43}$/
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether a text has the form of an S256 challenge (RFC 7636). */
export const isChallenge = (text: string): boolean => challengeForm.test(text)

/** Whether the challenge was derived from this verifier. */
export const fitsChallenge = (crypto: Crypto.Crypto, verifier: string, challenge: string): Effect.Effect<boolean> =>
  verifierForm.test(verifier)
    ? Effect.map(Effect.orDie(crypto.digest("SHA-256", new TextEncoder().encode(verifier))), (digest) =>
        sameHash(Base64Url.encode(digest), challenge)
      )
    : Effect.succeed(false)
