import { describe, expect, it } from "@effect/vitest"
import { doneIn, givenServer, withThing } from "./Given.ts"

const server = givenServer()
const inVienna = () => withThing(server(), {}, { timezone: "Europe/Vienna" })

describe("the reminder of a thing in the browser", () => {
  it("gets a reminder in words, with its next three times, changes it and loses it", async () => {
    const { path, rest, send } = await inVienna()
    const fields = { day: "2030-06-01", time: "09:00", repeat: "weekly", every: "2", until: "" }
    const set = await send(path, `${path}/reminder`, fields)
    expect(set.page.text).toContain("<strong>every 2 weeks on Saturday at 09:00</strong>")
    expect(set.page.text).toContain("In the time zone Europe/Vienna.")
    expect(set.page.text).not.toContain("This time has passed.")
    const dates = [...set.page.text.matchAll(/<li><time datetime="([^"]+)">([^<]+)/g)].map(([, at, text]) => [at, text])
    expect(dates).toStrictEqual([
      ["2030-06-01T07:00:00.000Z", "Sat 1 Jun 2030, 09:00"],
      ["2030-06-15T07:00:00.000Z", "Sat 15 Jun 2030, 09:00"],
      ["2030-06-29T07:00:00.000Z", "Sat 29 Jun 2030, 09:00"]
    ])
    const reminder = async () => (await rest("GET", path)).reminder
    const before = await reminder()
    await send(path, `${path}/reminder`)
    expect(await reminder()).toStrictEqual(before)
    await rest("PUT", `${path}/reminder`, { at: "2030-01-31T09:00", repeat: "monthly" })
    await rest("PATCH", path, { completed: true })
    await send(path, `${path}/reminder`, { color: "#d94f4f" })
    expect((await rest("PATCH", path, { completed: true })).repeating_reminder.next_at).toBe("2030-03-31T07:00:00.000Z")
    await send(path, `${path}/reminder`, { time: "", repeat: "none", color: "#2f9e79", alert: "30" })
    expect(await reminder()).toMatchObject({ all_day: true, repeat: "none", color: "#2f9e79", alert_minutes: 30 })
    const over = await send(path, `${path}/reminder`, { day: "2020-06-01", time: "09:00" })
    expect(over.page.text).toContain("This time has passed.")
    expect(over.page.text).not.toMatch(/last time|next \d+ times/)
    const late = await send(path, `${path}/reminder`, { repeat: "daily" })
    expect(late.page.text).toContain("This time and those after it:")
    const ending = { day: "2030-06-01", time: "09:00", repeat: "weekly", until: "2030-06-01" }
    expect((await send(path, `${path}/reminder`, ending)).page.text).toContain("The last time:")
    await send(path, `${path}/reminder/remove`)
    expect(await reminder()).toBeNull()
  })

  it("says in its list when it is due, as its page does", async () => {
    const { browser, list, path, rest } = await inVienna()
    const remind = async (reminder: object) => {
      await rest("PUT", `${path}/reminder`, reminder)
      const { text } = await browser.get(`/lists/${list.id}`)
      return /<p class="when( late)?">.*?<\/p>/s.exec(text)?.[0].replaceAll(/<[^<>]+>/g, "")
    }
    expect(await remind({ at: "2030-06-01T09:00" })).toBe("Reminder: Sat 1 Jun 2030, 09:00")
    expect(await remind({ at: "2030-06-01" })).toBe("Reminder: Sat 1 Jun 2030")
    expect(await remind({ at: "2030-06-01T09:00", repeat: "weekly", every: 2 })).toBe(
      "Reminder: Sat 1 Jun 2030, 09:00 · every 2 weeks on Saturday at 09:00"
    )
    expect(await remind({ at: "2020-06-01T09:00" })).toBe("Reminder, overdue: Mon 1 Jun 2020, 09:00")
  })

  it("says how a clock change affects a reminder, and keeps the second of two equal wall times", async () => {
    const { path, rest, send } = await inVienna()
    const set = async (day: string, fields: Readonly<Record<string, string>> = {}) => {
      const { page } = await send(path, `${path}/reminder`, { day, time: "02:30", repeat: "none", ...fields })
      return [...page.text.matchAll(/<li><time[^>]*>([^<]+)<\/time>(?: <span class="soft">([^<]*))?/g)].map(
        ([, at, words]) => [at, words]
      )
    }
    expect(await set("2031-03-30", { repeat: "daily", every: "1" })).toStrictEqual([
      ["Sun 30 Mar 2031, 03:30", "– the clocks go forward and skip 02:30"],
      ["Mon 31 Mar 2031, 02:30", undefined],
      ["Tue 1 Apr 2031, 02:30", undefined]
    ])
    expect(await set("2031-10-26")).toStrictEqual([
      ["Sun 26 Oct 2031, 02:30", "– the clocks go back and show it twice, this is the first"]
    ])
    await rest("PUT", `${path}/reminder`, { at: "2031-10-26T02:30:00+01:00" })
    const { page } = await send(path, `${path}/reminder`, { color: "#d94f4f" })
    expect(page.text).toContain("– the clocks go back and show it twice, this is the second")
    expect((await rest("GET", path)).reminder).toMatchObject({ at: "2031-10-26T01:30:00.000Z", color: "#d94f4f" })
    await send(path, `${path}/reminder`, { time: "", day: "2031-10-26" })
    expect((await rest("GET", path)).reminder).toMatchObject({ all_day: true })
  })

  it("refuses a reminder that contradicts itself, with what was wrong", async () => {
    const { browser, path, rest } = await inVienna()
    const form = (await browser.get(path)).form(`${path}/reminder`)
    for (const [name, value] of [
      ["day", "2030-06-01"],
      ["repeat", "weekly"],
      ["every", "2"],
      ["days", "monday"]
    ] as const)
      form.set(name, value)
    const refused = await browser.post(`${path}/reminder`, form)
    expect([refused.status, refused.text]).toStrictEqual([
      400,
      expect.stringMatching(/role="alert">Interval cannot be combined with days</)
    ])
    expect([...refused.form(`${path}/reminder`)].toSorted()).toStrictEqual([...form].toSorted())
    form.set("repeat", "none")
    expect((await browser.post(`${path}/reminder`, form)).text).toMatch(/role="alert">Interval cannot be/)
    expect((await rest("GET", path)).reminder).toBeNull()
  })

  it("is refused in the words of the form", async () => {
    const { browser, path } = await inVienna()
    const form = (await browser.get(path)).form(`${path}/reminder`)
    const problem = async (fields: Readonly<Record<string, string>>) => {
      const changed = new URLSearchParams({ ...Object.fromEntries(form), ...fields })
      const { text } = await browser.post(`${path}/reminder`, changed)
      const said = /role="alert">([^<]*)</.exec(text)?.[1]
      expect(text).toContain(`<span class="wrong" id="wrong">${said}</span>`)
      expect(text).toMatch(/<(?:input [^>]* aria-invalid="true"|fieldset) aria-describedby="(?:\w+-hint )?wrong"/)
      return said
    }
    expect(await problem({ day: "2030-06-01", repeat: "daily", until: "2030-05-01" })).toBe(
      "Until must be after the day and time"
    )
    expect(await problem({ repeat: "monthly", days: "monday" })).toBe(
      "Weekdays need a reminder that repeats weekly, or never"
    )
    expect(await problem({ day: "" })).toMatch(/^Day must be /)
    expect(await problem({ repeat: "daily", every: "1e1" })).toMatch(/^Interval must be /)
  })

  it("is refused once more if it was changed elsewhere since its form was refused", async () => {
    const { browser, path, rest } = await inVienna()
    await rest("PUT", `${path}/reminder`, { at: "2030-06-01T09:00" })
    const form = (await browser.get(path)).form(`${path}/reminder`)
    form.set("repeat", "daily")
    form.set("every", "0")
    await rest("PUT", `${path}/reminder`, { at: "2030-06-01T10:00" })
    const refused = await browser.post(`${path}/reminder`, form)
    const again = refused.form(`${path}/reminder`)
    again.set("every", "1")
    expect([refused.status, (await browser.post(`${path}/reminder`, again)).status]).toStrictEqual([400, 409])
  })

  it("keeps a reminder that was changed elsewhere, and shows both", async () => {
    const { browser, path, rest } = await inVienna()
    await rest("PUT", `${path}/reminder`, { at: "2030-06-01T09:00", repeat: "weekly", color: "#d94f4f" })
    const tab = (await browser.get(path)).form(`${path}/reminder`)
    tab.set("day", "2030-06-02")
    await rest("PATCH", path, { completed: true })
    const answer = await browser.post(`${path}/reminder`, tab)
    expect([answer.status, answer.text]).toStrictEqual([409, expect.stringMatching(/role="alert">The reminder/)])
    const reminder = async () => (await rest("GET", path)).reminder
    expect(await reminder()).toMatchObject({ at: "2030-06-08T07:00:00.000Z", color: "#d94f4f" })
    expect(answer.text).toContain("Sat 8 Jun 2030, 09:00")
    const both = answer.form(`${path}/reminder`)
    expect([both.get("day"), both.get("time"), both.get("color")]).toStrictEqual(["2030-06-02", "09:00", "#d94f4f"])
    expect(answer.text).toContain(`href="${path}">Keep the saved version</a>`)
    expect((await browser.post(`${path}/reminder`, both)).status).toBe(303)
    expect((await reminder()).at).toBe("2030-06-02T07:00:00.000Z")
  })

  it("has no conflict if both tabs set the same, or if it is as the form showed it", async () => {
    const { browser, path, rest } = await inVienna()
    const [one, two] = [
      (await browser.get(path)).form(`${path}/reminder`),
      (await browser.get(path)).form(`${path}/reminder`)
    ]
    for (const form of [one, two]) form.set("day", "2030-06-02")
    await rest("PATCH", path, { text: "Something else" })
    expect((await browser.post(`${path}/reminder`, one)).status).toBe(303)
    expect((await browser.post(`${path}/reminder`, two)).status).toBe(303)
    expect((await rest("GET", path)).reminder).toMatchObject({ at: "2030-06-01T22:00:00.000Z", all_day: true })
  })

  it("that repeats completes one occurrence of its thing, however old the page is", async () => {
    const { browser, list, path, rest, send } = await inVienna()
    await rest("PUT", `${path}/reminder`, { at: "2026-11-01T09:00", repeat: "daily" })
    const seen = await browser.get(`/lists/${list.id}`)
    const value = /name="complete" value="([^"@]+@[^"]+)"/.exec(seen.text)?.[1] ?? ""
    await send(`/lists/${list.id}`, "/things/tick", { complete: value })
    const next = (await rest("GET", path)).reminder.at
    const again = seen.form("/things/tick")
    again.set("complete", value)
    const told = (await browser.post("/things/tick", again)).location!
    expect(told).not.toContain("done=")
    const page = await browser.get(told)
    const onPage = (await browser.get(path)).form(`${path}/state`)
    const due = (await rest("GET", path)).reminder.summary
    expect(due).toBe("every day at 09:00, Europe/Vienna")
    const moved = /^Nothing was done: this page was out of date, and “Milk” has moved on to \d{4}-\d\d-\d\d\.$/
    expect(doneIn(page)).toMatch(moved)
    expect(page.text).not.toContain("/undo")
    expect((await rest("GET", path)).reminder.at).toBe(next)
    for (const [name, field] of [
      ["state", "completed"],
      ["occurrence", value.split("@")[1]!]
    ] as const)
      onPage.set(name, field)
    const state = async () => doneIn(await browser.get((await browser.post(`${path}/state`, onPage)).location!))
    expect(await state()).toMatch(moved)
    await rest("DELETE", `${path}/reminder`)
    expect(await state()).toBe("Nothing was done: this page was out of date, and “Milk” no longer repeats.")
    await rest("PATCH", path, { canceled: true })
    expect(await state()).toBe("Nothing was done: this page was out of date, and “Milk” was canceled already.")
  })

  it("is not set in a zone that the account has left since the form was shown; a day alone is", async () => {
    const { browser, path, rest } = await inVienna()
    const form = (await browser.get(path)).form(`${path}/reminder`)
    const zone = (await browser.get("/today")).form("/account/zone")
    zone.set("timezone", "America/New_York")
    expect((await browser.post("/account/zone", zone)).status).toBe(303)
    form.set("day", "2030-06-01")
    form.set("time", "09:00")
    form.set("repeat", "daily")
    const refused = await browser.post(`${path}/reminder`, form)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(
      "was changed from Europe/Vienna to America/New_York, so the reminder is not saved yet"
    )
    expect((await rest("GET", path)).reminder).toBeNull()
    const shown = refused.form(`${path}/reminder`)
    expect([shown.get("day"), shown.get("time"), shown.get("repeat")]).toStrictEqual(["2030-06-01", "09:00", "daily"])
    expect((await browser.post(`${path}/reminder`, shown)).status).toBe(303)
    expect((await rest("GET", path)).reminder.at).toBe("2030-06-01T13:00:00.000Z")
    const day = (await browser.get(path)).form(`${path}/reminder`)
    day.set("zone", "Europe/Vienna")
    day.set("time", "")
    expect((await browser.post(`${path}/reminder`, day)).status).toBe(303)
    expect((await rest("GET", path)).reminder).toMatchObject({ all_day: true, at: "2030-06-01T04:00:00.000Z" })
  })

  it("that ends on a day says so without a time", async () => {
    const { path, send } = await inVienna()
    const fields = { day: "2030-06-01", time: "09:00", repeat: "daily", until: "2030-06-30" }
    const { page } = await send(path, `${path}/reminder`, fields)
    expect(page.text).toContain("<strong>every day at 09:00, until the end of 2030-06-30</strong>")
  })
})
