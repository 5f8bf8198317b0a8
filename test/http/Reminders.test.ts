import { expect } from "@effect/vitest"
import { contract, listOf } from "./Given.ts"

contract("PUT /things/{id}/reminder", (given) => {
  given(
    "sets a reminder with the account's defaults",
    async (client) => {
      const { id, ids } = await listOf(client, ["**Call** mum"])
      const answer = await client.ask("PUT", `/things/${ids[0]}/reminder`, { at: "2099-06-01T09:00:00" })
      expect(answer.status).toBe(200)
      expect(answer.body.reminder).toMatchObject({
        thing_id: ids[0],
        list_id: id,
        text: "**Call** mum",
        at: "2099-06-01T07:00:00.000Z",
        all_day: false,
        repeat: "none",
        every: 1,
        repeat_until: null,
        days: [],
        duration_minutes: 30,
        end: "2099-06-01T07:30:00.000Z",
        alert_minutes: 15,
        color: "#aabbcc"
      })
      expect((await client.ask("GET", `/things/${ids[0]}`)).body.reminder).toStrictEqual(answer.body.reminder)
      expect((await client.ask("GET", `/lists/${id}`)).body.reminders).toStrictEqual([answer.body.reminder])
    },
    {
      settings: {
        timezone: "Europe/Berlin",
        defaultReminderMinutes: 30,
        defaultAlertMinutes: 15,
        defaultReminderColor: "#abc"
      }
    }
  )

  given("replaces the whole reminder", async (client) => {
    const { ids } = await listOf(client, ["a"])
    await client.ask("PUT", `/things/${ids[0]}/reminder`, {
      at: "2099-06-01T09:00:00Z",
      repeat: "daily",
      color: "#123456"
    })
    const { body } = await client.ask("PUT", `/things/${ids[0]}/reminder`, { at: "2099-07-01T09:00:00Z" })
    expect(body.reminder).toMatchObject({ at: "2099-07-01T09:00:00.000Z", repeat: "none", color: "" })
  })

  given("that is sent back as it was read stays the same", async (client) => {
    const { ids } = await listOf(client, ["rent", "course"])
    const reminderOf = async (id: string) => (await client.ask("GET", `/things/${id}`)).body.reminder
    const put = (id: string, body: object) => client.ask("PUT", `/things/${id}/reminder`, body)
    const complete = (id: string) => client.ask("PATCH", `/things/${id}`, { completed: true })
    const [rent, course] = ids as [string, string]

    await put(rent, { at: "2099-01-31T09:00:00Z", repeat: "monthly" })
    await complete(rent)
    const february = await reminderOf(rent)
    expect(february.at).toBe("2099-02-28T09:00:00.000Z")
    expect((await put(rent, { ...february, color: "#ff0000" })).body.reminder).toStrictEqual({
      ...february,
      color: "#ff0000"
    })
    const { body } = await complete(rent)
    expect(body.repeating_reminder.next_at).toBe("2099-03-31T09:00:00.000Z")
    const { id: _id, ...said } = february
    await put(rent, said)
    expect((await complete(rent)).body.repeating_reminder.next_at).toBe("2099-03-28T09:00:00.000Z")

    await put(course, { at: "2099-01-05", days: ["mon"], repeat_until: "2099-01-12" })
    await complete(course)
    const last = await reminderOf(course)
    expect(last.at).toBe(last.repeat_until)
    expect((await put(course, { ...last, alert_minutes: 5 })).status).toBe(200)
    expect((await put(course, { at: last.at, repeat: "weekly", repeat_until: last.at })).status).toBe(400)
    expect((await complete(course)).body.reminder_removed).toBe(true)
  })

  given(
    "at the end of all years has the last date on every clock",
    async (client) => {
      const { ids } = await listOf(client, ["once", "daily"])
      const [once, daily] = ids as [string, string]
      const put = (id: string, body: object) => client.ask("PUT", `/things/${id}/reminder`, body)
      const { body } = await put(once, { at: "9999-12-31T22:00:00Z" })
      expect(body.reminder).toMatchObject({
        at: "9999-12-31T22:00:00.000Z",
        summary: "once on Friday 9999-12-31 at 23:59:59, Asia/Tokyo"
      })
      await put(daily, { at: "9999-12-30T22:00:00Z", repeat: "daily" })
      const { repeating_reminder } = (await client.ask("PATCH", `/things/${daily}`, { completed: true })).body
      const last = await client.ask("GET", "/today?date=9999-12-31")
      expect([last.body.list.id, last.body.list.title]).toStrictEqual([repeating_reminder.list_id, "9999-12-31"])
      const beyond = await client.ask("GET", "/today?date=9999-12-31T23:30:00Z")
      expect([beyond.status, beyond.body.error]).toStrictEqual([
        400,
        expect.stringMatching(/ For example date=2026-11-21\.$/)
      ])
      const before = await put(once, { at: "0001-01-01" })
      expect([before.status, before.body.error]).toStrictEqual([
        400,
        'at must be between the years 0001 and 9999 in UTC, not "0001-01-01". For example "at": "2026-11-23T09:00".'
      ])
    },
    { settings: { timezone: "Asia/Tokyo" } }
  )

  given("takes weekdays in every spelling and moves to the first of them", async (client) => {
    const { ids } = await listOf(client, ["a"])
    const { body } = await client.ask("PUT", `/things/${ids[0]}/reminder`, {
      at: "2026-11-24T09:00:00Z",
      days: ["FRI", 1, "0", "monday"]
    })
    expect(body.reminder).toMatchObject({
      repeat: "weekly",
      days: ["sunday", "monday", "friday"],
      at: "2026-11-27T09:00:00.000Z"
    })
  })

  given("refuses combinations that contradict each other, and sets nothing", async (client) => {
    const { ids } = await listOf(client, ["a"])
    const at = "2099-06-01T09:00:00Z"
    const refusals = [
      {},
      { at: "soon" },
      { at, duration_minutes: 5, end: "2099-06-01T10:00:00Z" },
      { at, duration_minutes: 5, all_day: true },
      { at, end: "2099-06-01T10:00:00" },
      { at, end: "2099-06-01T08:00:00Z" },
      { at, every: 2, days: ["mon"] },
      { at, days: ["mon"], repeat: "daily" },
      { at, days: ["someday"] },
      { at, repeat: "custom" },
      { at, repeat: "daily", repeat_until: "2099-05-01T09:00:00Z" },
      { at, repeat: "daily", every: 0 },
      { at, duration_minutes: -1 },
      { at, alert_minutes: 525_601 },
      { at, color: "red" },
      { at, colour: "#fff" }
    ]
    for (const body of refusals) {
      const answer = await client.ask("PUT", `/things/${ids[0]}/reminder`, body)
      expect([JSON.stringify(body), answer.status]).toStrictEqual([JSON.stringify(body), 400])
    }
    expect((await client.ask("GET", `/things/${ids[0]}`)).body.reminder).toBeNull()
  })
})

contract("DELETE /things/{id}/reminder", (given) => {
  given("is idempotent", async (client, server) => {
    const { ids } = await listOf(client, ["a"])
    const reminder = `/things/${ids[0]}/reminder`
    await client.ask("PUT", reminder, { at: "2099-06-01T09:00:00Z" })
    await (await server.client()).ask("DELETE", reminder)
    expect((await client.ask("GET", "/reminders")).body.reminders).toHaveLength(1)
    for (const path of [reminder, reminder, "/things/unknown/reminder"]) {
      expect((await client.ask("DELETE", path)).body).toStrictEqual({ success: true })
    }
    expect((await client.ask("GET", "/reminders")).body.reminders).toStrictEqual([])
  })
})

contract("GET /reminders", (given) => {
  given("answers the future ones, soonest first, then the overdue ones of open things", async (client) => {
    const { ids } = await listOf(client, ["old", "older", "soon", "later", { text: "done", completed: true }])
    const times = ["2026-01-02", "2026-01-01", "2099-01-01", "2099-01-02", "2026-01-03"]
    for (const [at, id] of ids.entries())
      await client.ask("PUT", `/things/${id}/reminder`, { at: `${times[at]}T09:00:00Z` })
    const { body } = await client.ask("GET", "/reminders")
    expect(body.reminders.map((reminder: { text: string }) => reminder.text)).toStrictEqual([
      "soon",
      "later",
      "old",
      "older"
    ])
  })

  given("answers 50 at most", async (client) => {
    const { ids } = await listOf(
      client,
      Array.from({ length: 51 }, (_, at) => `r${at}`)
    )
    for (const id of ids) await client.ask("PUT", `/things/${id}/reminder`, { at: "2099-01-01T09:00:00Z" })
    expect((await client.ask("GET", "/reminders")).body.reminders).toHaveLength(50)
  })
})

contract("occurrences and preview", (given) => {
  given(
    "list what is to come, across a change of clocks",
    async (client) => {
      const { ids } = await listOf(client, ["a", "none"])
      await client.ask("PUT", `/things/${ids[0]}/reminder`, { at: "2099-03-28T09:00:00", repeat: "daily" })
      const { body } = await client.ask("GET", `/things/${ids[0]}/reminder/occurrences?count=3`)
      expect(body.occurrences).toStrictEqual([
        "2099-03-28T08:00:00.000Z",
        "2099-03-29T07:00:00.000Z",
        "2099-03-30T07:00:00.000Z"
      ])
      expect((await client.ask("GET", `/things/${ids[1]}/reminder/occurrences`)).status).toBe(404)
      for (const count of ["0", "101", "x"]) {
        expect((await client.ask("GET", `/things/${ids[0]}/reminder/occurrences?count=${count}`)).status).toBe(400)
      }
    },
    { settings: { timezone: "Europe/Berlin" } }
  )

  given("show what a reminder would do without storing it", async ({ ask }) => {
    const { body } = await ask("POST", "/reminders/preview", { at: "2099-01-31T09:00:00Z", repeat: "monthly" })
    expect(body.occurrences.slice(0, 3)).toStrictEqual([
      "2099-01-31T09:00:00.000Z",
      "2099-02-28T09:00:00.000Z",
      "2099-03-31T09:00:00.000Z"
    ])
    expect(body.summary).not.toBe("")
    expect((await ask("GET", "/reminders")).body.reminders).toStrictEqual([])
  })
})
