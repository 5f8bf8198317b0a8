import { describe, expect, it } from "@effect/vitest"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import type { NewDelivery, Webhook } from "../../src/model/Webhook.ts"
import type { Operation } from "../../src/model/Operation.ts"
import { headerText, lateBySeconds, requestOf } from "../../src/webhooks/Formats.ts"
import { operationNotification } from "../../src/webhooks/OperationEvents.ts"

const now = EpochMillis(1_763_726_400_999)
const delivery = {
  event: "reminder.due",
  messageId: "reminder_1",
  body: '{"type":"reminder.due"}',
  notification: { title: "Due now (Küche)", text: "Water the <plants> & *herbs*", path: "/things/1", tag: "bell" }
} satisfies Pick<NewDelivery, "event" | "messageId" | "body" | "notification">

const webhook = (format: Webhook["format"], former: number | null = null) =>
  ({
    url: "https://hooks.example/",
    format,
    secret: "whsec_new",
    formerSecrets: former === null ? [] : [{ secret: "whsec_old", until: EpochMillis(former) }]
  }) as Partial<Webhook> as Webhook

const sent = (format: Webhook["format"], notification: NewDelivery["notification"] = delivery.notification) =>
  requestOf(webhook(format), { ...delivery, notification }, now, "https://lists.example")

describe("formats", () => {
  it("standard sends the event, signed with its id and whole seconds", () => {
    const { body, headers, signed } = sent("standard")
    expect(body).toBe(delivery.body)
    expect(headers).toMatchObject({ "webhook-id": "reminder_1", "webhook-timestamp": "1763726400" })
    expect(signed).toStrictEqual({ text: `reminder_1.1763726400.${body}`, secrets: ["whsec_new"] })
  })

  it("a replaced secret still signs while it is valid", () => {
    const secrets = (until: number) => requestOf(webhook("standard", until), delivery, now, "").signed.secrets
    expect(secrets(now + 1)).toStrictEqual(["whsec_new", "whsec_old"])
    expect(secrets(now)).toStrictEqual(["whsec_new"])
    // Replaced while a clock was ahead.
    expect(secrets(now + 366 * 86_400_000)).toStrictEqual(["whsec_new"])
  })

  it("ntfy sends the text, with a title in ASCII, a tag and a link to the thing", () => {
    const { body, headers, signed } = sent("ntfy")
    expect(body).toBe("Water the <plants> & *herbs*")
    expect(headers).toMatchObject({ tags: "bell", click: "https://lists.example/things/1" })
    expect(headers["title"]).toBe(`=?UTF-8?B?${Buffer.from("Due now (Küche)").toString("base64")}?=`)
    expect(signed.text).toContain("plants")
  })

  it("slack sends one text, in which the user's text is escaped", () => {
    expect(JSON.parse(sent("slack").body)).toStrictEqual({
      text: "Due now (Küche): Water the &lt;plants&gt; &amp; *herbs*\nhttps://lists.example/things/1"
    })
  })

  it("long titles and texts are cut", () => {
    const notification = { title: "T".repeat(201), text: "t".repeat(1_001), tag: "bell" }
    const { body, headers } = sent("ntfy", notification)
    expect([headers["title"], body]).toStrictEqual([headerText(`${"T".repeat(200)}…`), `${"t".repeat(1_000)}…`])
    const { text } = JSON.parse(sent("slack", notification).body) as { readonly text: string }
    expect(text).toBe(`${"T".repeat(201)}: ${"t".repeat(797)}…`)
  })

  it("an operation is its summary, under the name of who did it, if there is one", () => {
    const titleOf = (name: string) =>
      operationNotification({ by: { type: "key", id: "1", name }, summary: "Added “Milk”" } as Operation).title
    expect([titleOf("Phone"), titleOf("")]).toStrictEqual(["Lists and Things: Phone", "Lists and Things"])
  })

  it("a notification without a page has no link", () => {
    const notification = { title: "A test", text: "It works", tag: "bell" }
    expect(sent("ntfy", notification).headers).not.toHaveProperty("click")
    expect(JSON.parse(sent("slack", notification).body)).toStrictEqual({ text: "A test: It works" })
  })

  it("a header is one line of ASCII, in words of at most 75 characters", () => {
    expect(headerText("Plain title")).toBe("Plain title")
    expect(headerText("two\r\nX-Injected: 1")).toBe("two X-Injected: 1")
    expect(headerText(" a\u007fb\n")).toBe("a b")
    expect(headerText("=?looks encoded?=")).toMatch(/^=\?UTF-8\?B\?/)
    const long = `${"🦊".repeat(60)} ${"ü".repeat(60)}`
    const words = headerText(long).split(" ")
    expect(words.every((word) => word.length <= 75 && /^=\?UTF-8\?B\?[\w+/=]+\?=$/.test(word))).toBe(true)
    expect(words.map((word) => Buffer.from(word.slice(10, -2), "base64").toString("utf8")).join("")).toBe(long)
  })

  it("a delivery is late from the fifth second on", () => {
    const late = (millis: number) => lateBySeconds(EpochMillis(now - millis), now)
    expect([late(0), late(4_999), late(5_000), late(90_900), late(-5)]).toStrictEqual([0, 0, 5, 90, 0])
  })
})
