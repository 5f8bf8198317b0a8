import { join } from "node:path"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Receiver, receiver } from "../webhooks/Receivers.ts"
import { type Lat, openServedLat } from "./Lat.ts"

interface WebhookShown {
  readonly id: string
  readonly enabled: boolean
  readonly disabled_reason: string | null
}

const env = { LAT_WEBHOOK_ALLOW: "127.0.0.1" }

let lat: Lat
let phone: Receiver
let hostile: Receiver

beforeAll(async () => {
  lat = await openServedLat()
  phone = await receiver("answers")
  hostile = await receiver("commands terminals")
  await lat.json(["account", "create", "--email", "ann@example.com"])
})

afterAll(async () => {
  await Promise.all([phone.stop(), hostile.stop()])
  await lat.close()
})

const runWebhook = async (...words: ReadonlyArray<string>) => {
  const { code, err, out } = await lat.run(["webhook", ...words], { env })
  return { code, lines: out.trimEnd().split("\n"), err: err.trim() }
}

const idIn = (text: string) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)![0]

describe("lat webhook", () => {
  it("creates a webhook with one command, pings it, and shows, changes, replays and deletes it", async () => {
    const made = await runWebhook("create", "--url", phone.url, "--format", "ntfy", "--events", "reminder.due")
    expect([made.code, made.err]).toStrictEqual([
      0,
      "Copy the secret now if the receiver checks signatures: it is not shown again."
    ])
    expect(made.lines[0]).toMatch(/^secret +whsec_\S+$/)
    const id = idIn(made.lines[1]!)
    expect((await runWebhook("test", id)).lines[0]).toMatch(/^Answered with status 200 in \d+ ms: ok$/)
    expect(phone.received.at(-1)).toMatchObject({ body: "This webhook works.", headers: { title: "Lists and Things" } })
    const [heads, row, ...others] = (await runWebhook("list")).lines
    expect(heads).toMatch(/^ID +URL +EVENTS +FORMAT +LAST SUCCESS \(UTC\) +STATE$/)
    expect(row).toMatch(
      new RegExp(`^${id}  ${phone.url}  reminder.due  ntfy    \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +on$`)
    )
    expect(others).toStrictEqual([])
    const shown = (await runWebhook("show", id)).lines
    expect(shown).toContain("enabled          true")
    expect(shown.join("\n")).not.toContain("whsec_")
    const log = (await runWebhook("log", id)).lines
    expect(log[0]).toMatch(/^ID +EVENT +MADE \(UTC\) +TRIED +STATUS +MS +NEXT \(UTC\) +ANSWER$/)
    expect(log[1]).toMatch(/ ping +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +1 +200 +\d+ +- +ok$/)
    const rotated = await runWebhook("rotate", id)
    expect(rotated.lines[0]).not.toBe(made.lines[0])
    const delivery = idIn(log[1]!)
    expect((await runWebhook("replay", id, delivery)).lines).toStrictEqual([`Delivery ${delivery} is sent once more.`])
    expect((await runWebhook("replay", id, "--since", "2026-01-01")).lines).toStrictEqual([
      "Sends 0 deliveries once more."
    ])
    expect((await runWebhook("set", id, "--enabled", "false")).lines).toContain("enabled          false")
    expect(await runWebhook("replay", id, delivery)).toMatchObject({
      code: 1,
      err: expect.stringContaining("switched off")
    })
    expect(await runWebhook("delete", id)).toMatchObject({
      code: 2,
      err: expect.stringContaining("confirm with --yes")
    })
    expect((await runWebhook("delete", id, "--yes")).lines).toStrictEqual([`Deleted the webhook to ${phone.url}.`])
    expect(await runWebhook("show", id)).toMatchObject({ code: 1, err: `lat: No webhook of yours has the id '${id}'.` })
  })

  it("refuses invalid arguments, and says what is wrong", async () => {
    const refused = async (...words: ReadonlyArray<string>) => {
      const { code, err } = await runWebhook(...words)
      expect(code).toBe(2)
      return err
    }
    const made = ["create", "--events", "reminder.due", "--url"]
    expect(await refused(...made, "https://10.0.0.1/")).toMatch(/^lat: --url must not lead into.*LAT_WEBHOOK_ALLOW$/)
    expect(await refused("create", "--url", phone.url, "--events", "thing")).toContain('"reminder.due", "operation"')
    expect(await refused("set", "no-id")).toContain("name at least one setting")
    expect(await refused("replay", "no-id")).toContain("name either a delivery or --since TIME")
    expect(await refused("replay", "no-id", "--since", "soon")).toContain("--since must be an ISO 8601 date")
  })

  it("says in the last column of the log why nothing was sent", async () => {
    const id = idIn((await runWebhook("create", "--url", phone.url, "--events", "operation")).lines[1]!)
    expect((await lat.run(["webhook", "test", id])).code).toBe(1)
    expect((await runWebhook("log", id)).lines[1]).toMatch(/ is not a public address; LAT_WEBHOOK_ALLOW can allow it$/)
    await runWebhook("delete", id, "--yes")
  })

  it("prints, with --json, the id of a webhook first and, with --quiet, only the id or the new secret", async () => {
    const words = ["webhook", "create", "--url", phone.url, "--events", "operation, reminder.due", "--description", "a"]
    const made = await lat.json<Record<string, unknown>>(words, { env })
    const { webhook } = made as { readonly webhook: WebhookShown }
    expect(made).toStrictEqual({ id: webhook.id, webhook, secret: expect.stringMatching(/^whsec_/) })
    expect(webhook).toMatchObject({ events: ["reminder.due", "operation"], description: "a" })
    const rotated = await lat.json<Record<string, unknown>>(["webhook", "rotate", webhook.id], { env })
    expect(rotated).toStrictEqual({
      id: webhook.id,
      webhook,
      secret: expect.not.stringMatching(String(made["secret"]))
    })
    const quiet = async (...more: ReadonlyArray<string>) => (await runWebhook(...more, "--quiet")).lines
    expect(await quiet("list")).toStrictEqual([webhook.id])
    expect(await quiet("rotate", webhook.id)).toStrictEqual([expect.stringMatching(/^whsec_/)])
    expect(await quiet("delete", webhook.id, "--yes")).toStrictEqual([webhook.id])
    expect(await lat.json(["webhook", "list"])).toStrictEqual([])
  })

  it("shows answers of endpoints without their control characters", async () => {
    const id = idIn((await runWebhook("create", "--url", hostile.url, "--events", "operation")).lines[1]!)
    const { code, err } = await runWebhook("test", id)
    expect(code).toBe(1)
    expect(err).toMatch(/^lat: The ping was answered with status 500: .*cleared/)
    const log = (await runWebhook("log", id)).lines.join("\n")
    expect(log).toContain("cleared")
    expect(`${err}${log}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    await runWebhook("delete", id, "--yes")
  })
})

describe("lat db load", () => {
  it("switches webhooks off, so that a rehearsal notifies nobody; --live leaves them on", async () => {
    await lat.json(["webhook", "create", "--url", phone.url, "--events", "reminder.due,operation"], { env })
    const file = join(lat.folder, "all.dump")
    expect((await lat.run(["db", "dump", file])).code).toBe(0)
    const postgres = await openTestDatabase({ version: 18 })
    const loaded = async (database: string, ...more: ReadonlyArray<string>) => {
      await postgres.createDatabase(database)
      const env = { DATABASE_URL: Redacted.value(postgres.url(database)) }
      const { code, err } = await lat.run(["db", "load", file, ...more], { env })
      expect([code, err]).toStrictEqual([0, ""])
      const [webhook] = await lat.json<ReadonlyArray<WebhookShown>>(["webhook", "list"], { env })
      return { enabled: webhook?.enabled, reason: webhook?.disabled_reason }
    }
    try {
      expect(await loaded("rehearsal")).toStrictEqual({
        enabled: false,
        reason: "It was loaded from a backup and waits to be switched on."
      })
      expect(await loaded("live", "--live")).toStrictEqual({ enabled: true, reason: null })
    } finally {
      await postgres.stop()
    }
  })
})
