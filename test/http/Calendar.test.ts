import { Context, Effect } from "effect"
import ICAL from "ical.js"
import { expect } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { contract, listOf } from "./Given.ts"

contract("GET /reminders.ics", (given) => {
  given(
    "answers a calendar program that knows the address, and nobody else",
    async (client, server) => {
      const accounts = Context.get(server.context, Accounts)
      const { ids } = await listOf(client, ["**Water** the plants", "Read"])
      const at = "2099-06-01T09:00:00"
      await client.ask("PUT", `/things/${ids[0]}/reminder`, { at, repeat: "weekly", every: 2, alert_minutes: 15 })
      await client.ask("PUT", `/things/${ids[1]}/reminder`, { at: "2099-06-02" })
      const token = await Effect.runPromise(accounts.feedToken(client.accountId))
      const feed = (secret: string) => client.ask("GET", `//reminders.ics?token=${secret}`, undefined, { token: null })

      const answer = await feed(token)
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("text/calendar; charset=utf-8")
      expect(answer.headers.get("cache-control")).toBe("private, no-cache")
      const calendar = new ICAL.Component(ICAL.parse(answer.body))
      const events = calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event))
      expect(events.map((event) => [event.summary, event.startDate.toString(), event.isRecurring()])).toStrictEqual([
        ["Water the plants", "2099-06-01T09:00:00", true],
        ["Read", "2099-06-02", false]
      ])
      expect(calendar.getFirstSubcomponent("vtimezone")?.getFirstPropertyValue("tzid")).toBe("Europe/Berlin")

      const etag = answer.headers.get("etag")!
      const again = (tag: string) =>
        client.ask("GET", `//reminders.ics?token=${token}`, undefined, {
          token: null,
          headers: { "if-none-match": tag }
        })
      const unchanged = await again(etag)
      expect([unchanged.status, unchanged.body, unchanged.headers.get("etag")]).toStrictEqual([304, undefined, etag])
      expect(unchanged.headers.get("cache-control")).toBe(answer.headers.get("cache-control"))
      await client.ask("PUT", `/things/${ids[1]}/reminder`, { at: "2099-06-03" })
      expect((await again(etag)).status).toBe(200)

      for (const wrong of ["", "x", token.slice(1), `${token}x`, "%00", "%ff", client.token])
        expect((await feed(wrong)).status).toBe(404)
      expect((await client.ask("GET", "//reminders.ics")).status).toBe(404)
      const renewed = await Effect.runPromise(accounts.rotateFeedToken(client.accountId))
      expect((await feed(token)).status).toBe(404)
      expect((await feed(renewed)).status).toBe(200)
    },
    { settings: { timezone: "Europe/Berlin" } }
  )
})
