import { readFileSync } from "node:fs"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import { openInstallation } from "../reliability/Installation.ts"
import { remindSoon } from "./Sharing.ts"
import { chat, homeAssistant, ntfy } from "./StandIns.ts"

/** Tests the recipes of docs/webhooks.md against stand-ins that speak the protocols. */

const installation = await openInstallation(["fsync=off"])
const topic = await ntfy("my-topic", "me:p@ss word")
const home = await homeAssistant("lists-4c1f")
const room = await chat()
afterAll(async () => {
  await Promise.all([topic.stop(), home.stop(), room.stop()])
  await installation.close()
})

const documented = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8")

/** The value of `trigger.json.data.…` in a template. */
const lookUp = (trigger: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], {
    trigger
  })

describe("a reminder", () => {
  it("arrives as readable text on a phone, in an automation and in a chat", async () => {
    const { token } = await installation.person()
    const { url } = await installation.serve({ env: { LAT_WEBHOOK_DELIVERY: "off" } })
    const words = "Wäsche aufhängen & <!channel> 🧺"
    const made = await ask(url, "POST", "/lists", {
      token,
      body: { title: "Haushalt – für alle, die hier wohnen und mitmachen", things: [{ text: words }] }
    })
    const { list } = json<{ readonly list: { readonly id: string; readonly title: string } }>(made)
    const view = await ask(url, "GET", `/lists/${list.id}`, { token })
    const [thing] = json<{ readonly things: ReadonlyArray<{ readonly id: string }> }>(view).things
    const protectedTopic = topic.url.replace("//", "//me:p%40ss%20word@")
    const hooks = [
      { url: protectedTopic, format: "ntfy" },
      { url: home.url, format: "standard" },
      { url: room.url, format: "slack" }
    ]
    const answers: Array<unknown> = []
    for (const hook of hooks) {
      const body = { ...hook, events: ["reminder.due"] }
      const { webhook } = json<{ readonly webhook: { readonly id: string } }>(
        await ask(url, "POST", "/webhooks", { token, body })
      )
      const pinged = await ask(url, "POST", `/webhooks/${webhook.id}/test`, { token })
      const { answer, status } = json<{ readonly delivery: { readonly status: number; readonly answer: string } }>(
        pinged
      ).delivery
      answers.push([status, answer.slice(0, 18)])
    }
    expect(answers).toStrictEqual([
      [200, '{"id":"xE73Iyuabi"'],
      [200, ""],
      [200, "ok"]
    ])
    expect(topic.shown[0]).toMatchObject({ title: "Lists and Things", message: "This webhook works.", click: "" })
    expect(room.shown).toStrictEqual(["Lists and Things: This webhook works."])

    await remindSoon(url, token, thing!.id, 1_500)
    await installation.serve()
    const all = [topic.shown, home.shown, room.shown]
    await until("the reminder, three times", () => all.every((shown) => shown.length === 2))
    const page = expect.stringMatching(new RegExp(`^http://.*/things/${thing!.id}$`)) as string
    expect(topic.shown[1]).toStrictEqual({
      topic: "my-topic",
      title: `Due now (${list.title})`,
      message: words,
      tags: ["bell"],
      click: page
    })
    const [said, link] = room.shown[1]!.split("\n")
    expect([said, link]).toStrictEqual([`Due now (${list.title}): ${words}`, page])

    const templates = [...documented.matchAll(/\{\{ (trigger\.json[\w.]*)/g)].map((found) => found[1]!)
    expect(templates.length).toBeGreaterThan(2)
    const rendered = Object.fromEntries(templates.map((path) => [path, lookUp(home.shown[1], path)]))
    expect(rendered).toStrictEqual({
      "trigger.json.type": "reminder.due",
      "trigger.json.data.list.title": list.title,
      "trigger.json.data.thing.text": words
    })
    expect(home.shown[0]?.json).toMatchObject({ type: "ping" })
  })
})
