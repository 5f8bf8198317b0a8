import { Effect } from "effect"
import type * as Crypto from "effect/Crypto"
import * as Base64Url from "effect/encoding/Base64Url"
import { hmac, sameHash } from "../caller/Hashing.ts"
import { AccountId } from "../model/Ids.ts"
import { EpochMillis, msPerDay } from "../model/EpochMillis.ts"

/** A browser in which an account has signed in before, so failed guesses from elsewhere do not lock it out. */
export interface Device {
  readonly owner: AccountId
  readonly id: string
  /** Exclusive. */
  readonly expires: EpochMillis
}

/** One year after the last sign-in, in milliseconds. */
export const deviceLifetime = 365 * msPerDay

/** Maximum accounts remembered per browser. */
const maxDevices = 5

const form = /^(?<owner>[0-9a-f-]{36})\.(?<id>[\w-]{22})\.(?<expires>\d{1,15})\.(?<signature>[\w-]{43})$/

interface Claim extends Device {
  readonly text: string
  readonly signature: string
}

const claimOf = (text: string): Claim | undefined => {
  const found = form.exec(text)?.groups
  if (found === undefined) return undefined
  const { expires = "", id = "", owner = "", signature = "" } = found
  return { owner: AccountId.make(owner), id, expires: EpochMillis(Number(expires)), text, signature }
}

/** The claims in a browser's cookie, at most five; not verified until their signature is checked. */
export const claimsOf = (cookie: string): ReadonlyArray<Claim> =>
  cookie.length > maxDevices * 150
    ? []
    : cookie
        .split("~")
        .slice(0, maxDevices)
        .flatMap((text) => claimOf(text) ?? [])

const signed = ({ expires, id, owner }: Device): string => `${owner}.${id}.${expires}`

/** The key is the account's password hash, so a new password invalidates earlier signatures. */
const sign = (crypto: Crypto.Crypto, device: Device, passwordHash: string): Effect.Effect<string> =>
  Effect.map(hmac(crypto, passwordHash, `lat_device ${signed(device)}`), Base64Url.encode)

export const isGenuine = (
  crypto: Crypto.Crypto,
  claim: Claim,
  passwordHash: string,
  now: EpochMillis
): Effect.Effect<boolean> =>
  now >= claim.expires
    ? Effect.succeed(false)
    : Effect.map(sign(crypto, claim, passwordHash), (signature) => sameHash(signature, claim.signature))

/** The cookie after a sign-in to the device's account; keeps the claims for other accounts. */
export const remember = (
  crypto: Crypto.Crypto,
  device: Device,
  passwordHash: string,
  cookie: string
): Effect.Effect<string> =>
  Effect.map(sign(crypto, device, passwordHash), (signature) =>
    [
      `${signed(device)}.${signature}`,
      ...claimsOf(cookie)
        .filter(({ owner }) => owner !== device.owner)
        .map(({ text }) => text)
    ]
      .slice(0, maxDevices)
      .join("~")
  )
