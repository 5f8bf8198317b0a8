import * as Base64 from "effect/encoding/Base64"
import { formatTime } from "../days/IsoTime.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { NewDelivery, Webhook } from "../model/Webhook.ts"
import type { WebhookRequest } from "../ports/WebhookTransport.ts"
import { truncate } from "../text/Characters.ts"
import { signingSecrets } from "./Secrets.ts"

/** Characters of a notification: few enough for ntfy's 4,096 bytes and for any chat. */
const notificationLength = 1000

type Sent = Pick<NewDelivery, "body" | "event" | "messageId" | "notification">

/**
 * The request that delivers an event in the webhook's format, to be signed as Standard Webhooks says. `siteUrl` has no
 * trailing slash.
 */
export const requestOf = (webhook: Webhook, delivery: Sent, at: EpochMillis, siteUrl: string): WebhookRequest => {
  const { body, headers } = formats[webhook.format](delivery, siteUrl)
  const timestamp = Math.floor(at / 1000)
  return {
    url: webhook.url,
    body,
    headers: {
      "user-agent": "lists-and-things",
      ...headers,
      "webhook-id": delivery.messageId,
      "webhook-timestamp": String(timestamp)
    },
    signed: { text: `${delivery.messageId}.${timestamp}.${body}`, secrets: signingSecrets(webhook, at) }
  }
}

const formats: Readonly<
  Record<Webhook["format"], (delivery: Sent, siteUrl: string) => Pick<WebhookRequest, "body" | "headers">>
> = {
  standard: ({ body }) => ({ body, headers: { "content-type": "application/json" } }),
  ntfy: ({ notification }, siteUrl) => ({
    body: truncate(notification.text, notificationLength),
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title: headerText(truncate(notification.title, 200)),
      tags: notification.tag,
      ...(notification.path !== undefined && { click: siteUrl + notification.path })
    }
  }),
  slack: ({ notification }, siteUrl) => ({
    body: JSON.stringify({
      text: [
        forChat(truncate(`${notification.title}: ${notification.text}`, notificationLength)),
        ...(notification.path === undefined ? [] : [siteUrl + notification.path])
      ].join("\n")
    }),
    headers: { "content-type": "application/json" }
  })
}

/** Chats read `<…>` as a link or as a call to everyone. */
const forChat = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Bytes of UTF-8 in an encoded word, of at most 75 characters. */
const wordBytes = 45

/** One line for a header: as it is where ASCII, else in encoded words (RFC 2047). */
export const headerText = (text: string): string => {
  const line = text.replace(/[\u0000-\u0020\u007f]+/g, " ").trim()
  if (/^[\u0020-\u007e]*$/.test(line) && !line.includes("=?")) return line
  const words: Array<string> = []
  let word = ""
  let bytes = 0
  for (const character of line) {
    const size = encoder.encode(character).length
    if (bytes + size > wordBytes) {
      words.push(word)
      word = ""
      bytes = 0
    }
    word += character
    bytes += size
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Base64.encode(encoder.encode(each))}?=`).join(" ")
}

const encoder = new TextEncoder()

/** How late something that was due then is announced, in whole seconds; 0 within the five that are on time. */
export const lateBySeconds = (moment: EpochMillis, now: EpochMillis): number =>
  now - moment < 5000 ? 0 : Math.floor((now - moment) / 1000)

/** The body of every event in the standard format. */
export const eventBody = (type: Sent["event"], timestamp: EpochMillis, data: object): string =>
  JSON.stringify({ type, timestamp: formatTime(timestamp), data })
