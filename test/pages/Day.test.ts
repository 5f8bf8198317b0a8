import { describe, expect, it } from "@effect/vitest"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { middayToday as today } from "@lists-and-things/testing/Midday"
import { Browser } from "../signin/Browser.ts"
import { doneIn, givenServer, signedIn, undoOn } from "./Given.ts"

const server = givenServer()

describe("the day in the browser", () => {
  it("is the page after the sign-in, and the start page", async () => {
    const stranger = new Browser(server().url)
    expect((await stranger.get("/")).location).toBe(`${server().url}/today`)
    expect((await stranger.get("/today")).location).toBe(`${server().url}/sign-in?next=%2Ftoday`)
    const { browser } = await signedIn(server())
    const { text } = await browser.get("/today")
    expect(text).toContain("Nothing is planned for today.")
    for (const path of ["/lists", "/reminders", "/tags", "/account", "/search"])
      expect(text).toMatch(new RegExp(`(?:href|action)="${path}"`))
  })

  it("accepts new lines and links to the days around it; viewing a day makes no list", async () => {
    const { browser, rest, send } = await signedIn(server())
    const date = today()
    const added = await send("/today", `/days/${date}/add`, { markdown: "Call the plumber" })
    expect(new URL(added.at).pathname).toBe("/today")
    expect(doneIn(added.page)).toBe(`Added “Call the plumber” to “${date}”.`)
    for (const [day, name] of [
      [addDays(date, -1), "Yesterday"],
      [addDays(date, 1), "Tomorrow"]
    ] as const) {
      expect(added.page.text).toMatch(new RegExp(`href="/days/${day}"[^>]*>(?:<svg.*?</svg>)?${name}`))
      expect((await browser.get(`/days/${day}`)).text).toContain("Nothing is planned for this day.")
    }
    expect((await rest("GET", "/operations")).operations).toHaveLength(1)
    const other = await send("/days/2030-01-02", "/days/2030-01-02/add", { markdown: "Far away" })
    expect(new URL(other.at).pathname).toBe("/days/2030-01-02")
    expect(other.page.text).toContain("<h1>Wednesday 2 January 2030</h1>")
    const { list } = await rest("GET", "/today?date=2030-01-02")
    expect((await browser.get(`/lists/${list.id}`)).location).toBe(`${server().url}/days/2030-01-02`)
  })

  it("moves what yesterday left open to today, and takes it back", async () => {
    const person = await signedIn(server())
    const { browser, rest, send } = person
    const yesterday = addDays(today(), -1)
    for (const [text, fields] of [
      ["Call mum", {}],
      ["Buy salt", {}],
      ["Done already", { completed: true }],
      ["Only a note", { type: "note" }]
    ] as const) {
      const { thing } = await rest("POST", "/things", { text, list: yesterday })
      await rest("PATCH", `/things/${thing.id}`, fields)
    }
    expect((await browser.get("/today")).text).toContain(
      `2 things from <a href="/days/${yesterday}">yesterday</a> are still open.`
    )
    const moved = await send("/today", `/days/${yesterday}/move`)
    expect(new URL(moved.at).pathname).toBe("/today")
    const texts = (await rest("GET", "/today")).things.map(({ text }: { readonly text: string }) => text)
    expect(texts).toStrictEqual(["Call mum", "Buy salt"])
    expect(moved.page.text).not.toContain("still open")
    await undoOn(person, moved.page)
    expect((await browser.get(`/days/${yesterday}`)).text).toContain("2 things are still open.")
    const again = await send(`/days/${yesterday}`, `/days/${yesterday}/move`)
    expect(new URL(again.at).pathname).toBe(`/days/${yesterday}`)
    expect((await browser.get(`/days/${addDays(today(), 1)}`)).text).not.toContain("still open")
  })

  it("moves all that yesterday left open, also more than a bulk call takes", async () => {
    const { browser, rest, send } = await signedIn(server())
    const yesterday = addDays(today(), -1)
    for (const count of [500, 1])
      await rest("POST", "/things/bulk", {
        list: yesterday,
        items: Array.from({ length: count }, () => ({ text: "Old" }))
      })
    expect((await browser.get("/today")).text).toContain(`501 things from <a href="/days/${yesterday}">`)
    await send("/today", `/days/${yesterday}/move`)
    expect((await rest("GET", "/today")).things).toHaveLength(501)
  })

  it("moves what is nested under what a day left open along with it", async () => {
    const person = await signedIn(server())
    const { rest, send } = person
    const yesterday = addDays(today(), -1)
    const shape = async (date: string) =>
      (await rest("GET", `/today?date=${date}`)).things.map(
        ({ completed, tabs, text }: Record<"completed" | "tabs" | "text", unknown>) => [text, tabs, completed]
      )
    const add = async (text: string, tabs: number, completed: boolean) => {
      const { thing } = await rest("POST", "/things", { text, tabs, list: yesterday })
      if (completed) await rest("PATCH", `/things/${thing.id}`, { completed })
    }
    await rest("POST", "/things", { text: "Already here", list: "today" })
    await add("Trip", 0, false)
    await add("Tickets", 1, true)
    await add("Hotel", 1, false)
    await add("Old plans", 0, true)
    await add("Ask Mia", 1, false)
    await add("Her number", 2, true)
    const before = await shape(yesterday)
    const moved = await send("/today", `/days/${yesterday}/move`)
    expect(await shape(yesterday)).toStrictEqual([["Old plans", 0, true]])
    expect(await shape(today())).toStrictEqual([
      ["Already here", 0, false],
      ["Trip", 0, false],
      ["Tickets", 1, true],
      ["Hotel", 1, false],
      ["Ask Mia", 0, false],
      ["Her number", 1, true]
    ])
    await undoOn(person, moved.page)
    expect(await shape(yesterday)).toStrictEqual(before)
  })

  it("shows things of other lists that are due, and today overdue ones, each once", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Home" })
    const remind = async (text: string, at: string, to: object = { list_id: list.id }) => {
      const { thing } = await rest("POST", "/things", { text, ...to })
      await rest("PUT", `/things/${thing.id}/reminder`, { at })
      return thing.id as string
    }
    await remind("Bake", `${today()}T23:59`)
    await remind("Long ago", "2026-01-01T08:00")
    await remind("In the list", `${today()}T23:58`, { list: "today" })
    const { text } = await browser.get("/today")
    expect(text).toMatch(/In the list.*<h2>Due on this day, from other lists<\/h2>.*Bake.*<h2>Overdue<\/h2>.*Long ago/s)
    for (const name of ["In the list", "Bake", "Long ago"])
      expect([name, text.match(new RegExp(`>${name}<`, "g"))?.length]).toStrictEqual([name, 1])
    const home = `<a href="/lists/${list.id}">Home</a>`
    expect(text.split(home)).toHaveLength(3)
    expect(text).toMatch(
      /<a href="#due">2 things in other lists are due<\/a>.*In the list.*<div id="due">.*<h2>Due on/s
    )
    for (const path of ["/search?q=ake", "/reminders"]) expect((await browser.get(path)).text).toContain(`in ${home}`)
    const past = (await browser.get("/days/2026-01-01")).text
    expect(past).toContain("Long ago")
    expect(past).not.toContain("other lists are due")
    expect(past).not.toContain("Overdue")
    const reminders = (await browser.get("/reminders")).text
    expect(reminders).toMatch(/<h2>Overdue<\/h2>.*Long ago.*<h2>Today<\/h2>.*In the list.*Bake/s)
    const ids = [...reminders.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  it("of a later day shows what comes again on it, without a box to tick", async () => {
    const { browser, rest } = await signedIn(server(), { timezone: "Europe/Vienna" })
    const { list } = await rest("POST", "/lists", { title: "Home" })
    const remind = async (text: string, at: string, to: object = { list_id: list.id }) => {
      const { thing } = await rest("POST", "/things", { text, ...to })
      await rest("PUT", `/things/${thing.id}/reminder`, { at, repeat: "daily" })
      return thing.id as string
    }
    const [plants, pills] = [await remind("Plants", "2089-12-30T08:00"), await remind("Pills", "2089-12-31T07:00")]
    await remind("In the list", "2089-12-30T09:00", { list: "2089-12-31" })
    const { text } = await browser.get("/days/2089-12-31")
    expect(text).toMatch(
      /In the list.*<h2>Due on this day, from other lists<\/h2>.*Pills.*<h2>Repeats on this day, from other lists<\/h2>.*Plants/s
    )
    for (const name of ["In the list", "Pills", "Plants"])
      expect([name, text.match(new RegExp(`>${name}<`, "g"))?.length]).toStrictEqual([name, 1])
    expect(text).toContain('<a href="#due">2 things in other lists are due</a>')
    expect(text).toContain(
      '<time datetime="2089-12-31T07:00:00.000Z">Sat 31 Dec 2089, 08:00</time> · every day at 08:00'
    )
    expect([pills, plants].map((id) => text.includes(`value="${id}@`))).toStrictEqual([true, false])
    expect(text).toContain(`href="/things/${plants}"`)
    for (const path of ["/days/2089-12-29", "/today"])
      expect((await browser.get(path)).text).not.toContain("Comes again on")
  })

  it("shows all that is due, also beside many reminders of its own list", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Home" })
    const remind = async (at: string, list_id: string) => {
      const { thing } = await rest("POST", "/things", { text: "Bake", list_id })
      await rest("PUT", `/things/${thing.id}/reminder`, { at })
    }
    const own = (await rest("GET", "/today")).list.id
    for (let n = 0; n < 51; n++) {
      await remind(`${today()}T00:00`, own)
      await remind("2026-01-01T08:00", list.id)
    }
    await remind(`${today()}T23:59`, list.id)
    expect((await browser.get("/today")).text).toContain(">52 things in other lists are due<")
  })

  it("leads to all reminders day by day, each in the order of its times, and what is overdue however many are to come", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Home" })
    const remind = async (text: string, at: string) => {
      const { thing } = await rest("POST", "/things", { text, list_id: list.id })
      await rest("PUT", `/things/${thing.id}/reminder`, { at })
    }
    const seen = async () =>
      [...(await browser.get("/reminders")).text.matchAll(/<h2>([^<]*)<\/h2>|class="text" id="[^"]*">([^<]*)</g)].map(
        ([, heading, text]) => heading ?? text
      )
    await remind("Later today", `${today()}T23:59`)
    await remind("After that", "2089-12-31T08:00")
    await remind("All day", today())
    const first = ["Today", "All day", "Later today", "Sat 31 Dec 2089", "After that"]
    expect(await seen()).toStrictEqual(first)
    await remind("Long ago", "2026-01-01")
    await remind("Not so long ago", "2026-01-02")
    const overdue = ["Overdue", "Not so long ago", "Long ago"]
    for (let at = 0; at < 200; at++) await remind(`Some time ${at}`, "2090-01-01")
    expect((await seen()).slice(0, 8)).toStrictEqual([...overdue, ...first])
  })

  it("answers any date, and says what a date is", async () => {
    const { browser } = await signedIn(server())
    for (const day of ["0001-01-01", "9999-12-31", "tomorrow", "2024-02-29"])
      expect([day, (await browser.get(`/days/${day}`)).status]).toStrictEqual([day, 200])
    for (const day of ["2023-02-29", "x", "%3Cb%3E", "10000-01-01"])
      expect([day, (await browser.get(`/days/${day}`)).status]).toStrictEqual([day, 404])
    expect((await browser.get("/days?date=2030-05-06")).location).toBe(`${server().url}/days/2030-05-06`)
  })

  it("of yesterday that is still shown as today leads to itself with what is added, which would be out of sight on the next", async () => {
    const { browser } = await signedIn(server())
    const form = (await browser.get("/days/2020-02-03")).form("/days/2020-02-03/add")
    form.set("back", "/today")
    form.set("markdown", "Milk")
    const { location } = await browser.post("/days/2020-02-03/add", form)
    expect(new URL(location!).pathname).toBe("/days/2020-02-03")
    const shown = (await browser.get(location!)).text
    expect(shown).toContain(">Milk<")
    expect(shown).toContain("1 thing is still open.")
  })
})

describe("tags and search", () => {
  it("find things, which can be ticked there", async () => {
    const { browser, rest, send } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Rake the leaves", tags: ["Garden / back"] })
    await rest("POST", "/lists", { title: "Leaves of grass" })
    const cloud = (await browser.get("/tags")).text
    const link = /href="(\/tags\?tag=[^"]+)"/.exec(cloud)?.[1] ?? ""
    const tagged = await browser.get(link)
    expect(tagged.text).toContain("<h1>#Garden / back</h1>")
    expect(tagged.text).toContain("Rake the leaves")
    const found = await browser.get("/search?q=leaves")
    expect(found.text).toMatch(/<h2>Lists<\/h2>.*Leaves of grass.*<h2>Things<\/h2>.*Rake the leaves/s)
    const ticked = await send("/search?q=leaves", "/things/tick", { complete: thing.id })
    expect(new URL(ticked.at).searchParams.get("q")).toBe("leaves")
    expect(doneIn(ticked.page)).toBe("Completed “Rake the leaves”.")
    expect((await browser.get("/search?q=+leaves+")).text).toContain("For <q>leaves</q>")
    expect((await browser.get("/search?q=why?")).text).toContain("For <q>why?</q>")
    await Promise.all(Array.from({ length: 101 }, (_, at) => rest("POST", "/lists", { title: `Oak ${at}` })))
    expect((await browser.get("/search?q=oak")).text).toContain("There is more: add words to narrow the search.")
    // The API's name of the parameter.
    expect((await browser.get("/search?query=leaves")).text).toContain("For <q>leaves</q>")
    expect((await browser.get("/search?q=")).text).toContain("What are you looking for?")
    expect((await browser.get("/search?q=nosuchword")).text).toContain("Nothing was found.")
    expect((await browser.get("/search?q=no+such+words")).text).toContain("these words side by side")
  })

  it("show reminders, and complete exactly the occurrence shown", async () => {
    const { browser, rest } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Water the ferns", tags: ["ferns"] })
    const { thing: copy } = await rest("POST", "/things", { clone_of: thing.id, list: "tomorrow" })
    await rest("PUT", `/things/${thing.id}/reminder`, { at: "2026-11-01T09:00", repeat: "daily" })
    for (const path of ["/search?q=ferns", "/tags?tag=ferns"]) {
      const seen = await browser.get(path)
      expect(seen.text.match(/every day at 09:00/g)).toHaveLength(2)
      expect(seen.text).toMatch(new RegExp(`name="complete" value="${copy.id}@[^"]+Z"`))
      const value = new RegExp(`name="complete" value="(${thing.id}@[^"]+)"`).exec(seen.text)?.[1] ?? ""
      const [form, old] = [seen.form("/things/tick"), (await browser.get(path)).form("/things/tick")]
      for (const each of [form, old]) each.set("complete", value)
      const first = await browser.post("/things/tick", form)
      expect(doneIn(await browser.get(first.location!))).toMatch(/^Completed “Water the ferns”/)
      const next = (await rest("GET", `/things/${thing.id}`)).reminder.at
      const again = await browser.post("/things/tick", old)
      expect(doneIn(await browser.get(again.location!))).toMatch(/^Nothing was done: this page was out of date/)
      expect((await rest("GET", `/things/${thing.id}`)).reminder.at).toBe(next)
    }
  })
})
