import type { components } from "./Contract.ts"

type Schemas = components["schemas"]

/** The body that a webhook in the format `standard` sends. */
export type WebhookEvent =
  | { readonly type: "ping"; readonly timestamp: string; readonly data: object }
  | {
      readonly type: "reminder.due"
      readonly timestamp: string
      readonly data: {
        readonly reminder: Schemas["Reminder"]
        readonly thing: Schemas["Thing"]
        readonly list: { readonly id: string; readonly title: string }
        /** The announced occurrence, ISO 8601. */
        readonly due_at: string
        /** Which alert of the reminder this is, before the occurrence; null at the time of the occurrence. */
        readonly alert: null | "first" | "second"
        readonly late_by_seconds: number
      }
    }
  | {
      readonly type: "operation"
      readonly timestamp: string
      readonly data: {
        readonly operation: Schemas["Operation"]
        readonly entities: ReadonlyArray<Schemas["OperationView"]["entities"][number]>
        /** Whether `entities` is incomplete; the feed of changes has all. */
        readonly truncated: boolean
      }
    }

export interface Received {
  /** The raw body: parsing and serializing it again would change its signature. */
  readonly body: string | Uint8Array
  /** Headers of a request of the Fetch API or of Node. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** `whsec_…`; several while a secret is being replaced. */
  readonly secret: string | ReadonlyArray<string>
}

/** A request that failed verification. Answer it with 400 or 401. */
export class WebhookRejected extends Error {
  override readonly name = "WebhookRejected"
}

/** Seconds that the timestamp may differ from this clock, either way; an older request may be a replay. */
const tolerance = 300

const headerOf = (headers: Received["headers"], name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== "string" || value === "") throw new WebhookRejected(`There is no header ${name}`)
  return value
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const keyOf = (secret: string) => {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""))
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError("A webhook's secret is whsec_ and base64, as it was shown when the webhook was made")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
}

/** Compares in constant time for equal lengths. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.reduce((different, byte, at) => different | (byte ^ other[at]!), 0) === 0

const joined = (head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const [start, rest] = [
    new TextEncoder().encode(head),
    typeof body === "string" ? new TextEncoder().encode(body) : body
  ]
  const all = new Uint8Array(start.length + rest.length)
  all.set(start)
  all.set(rest, start.length)
  return all
}

/**
 * Verifies a request of a webhook and returns its event (Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`).
 * Rejects with `WebhookRejected` if a header is missing or malformed, no signature matches a secret, or the timestamp
 * is more than five minutes from this clock; with `TypeError` if a secret is malformed. Every attempt of a delivery has
 * the same `webhook-id`, so drop ids that you have seen.
 */
export const verifyWebhook = async ({ body, headers, secret }: Received): Promise<WebhookEvent> => {
  const [id, timestamp] = [headerOf(headers, "webhook-id"), headerOf(headers, "webhook-timestamp")]
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    .flatMap((each) => (each.startsWith("v1,") ? (bytesOf(each.slice(3)) ?? []) : []))
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRejected("The header webhook-timestamp is no time in seconds")
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookRejected("The request is older than five minutes, or a clock is wrong")
  const signed = joined(`${id}.${timestamp}.`, body)
  for (const each of typeof secret === "string" ? [secret] : secret) {
    const expected = new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(each), signed))
    if (signatures.some((signature) => isEqual(signature, expected)))
      return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent
  }
  throw new WebhookRejected("No signature is of this secret")
}
