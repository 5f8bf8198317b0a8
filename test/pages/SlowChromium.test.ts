import type { Page } from "playwright-core"
import { describe, expect, it } from "@effect/vitest"
import { givenChromium, goOffline, hasChromium, signInOn } from "../signin/Chromium.ts"
import type { PersonSettings } from "../signin/SignInServer.ts"
import { givenServer, signedIn, type SignedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

const enter = async (page: Page, settings: PersonSettings = {}): Promise<SignedIn> => {
  const person = await signedIn(server(), settings)
  await page.goto(`${server().url}/`)
  await signInOn(page, person.email)
  await page.waitForURL("**/today")
  return person
}

describe.skipIf(!hasChromium)("a person on a slow connection", () => {
  it("ticks one thing after another, each once", async () => {
    const { close, page } = await openChromium({ serviceWorkers: "block" })
    try {
      const person = await enter(page)
      const { list } = await person.rest("POST", "/lists", {
        title: "Shop",
        things: ["Milk", "Tea", "Rye"].map((text) => ({ text }))
      })
      await page.goto(`${server().url}/lists/${list.id}`)
      const arrives = Promise.withResolvers<void>()
      const ticked: Array<string> = []
      await page.route("**/things/tick", async (route) => {
        ticked.push(route.request().postData() ?? "")
        await arrives.promise
        await route.continue()
      })
      await page.evaluate(`
        const [milk, tea, rye] = document.querySelectorAll("button.box")
        for (const box of [milk, milk, tea, rye, tea]) box.click()`)
      arrives.resolve()
      await page.getByText("Completed “Rye”").waitFor()
      const things = (await person.rest("GET", `/lists/${list.id}`)).things
      expect(things.map((thing: { readonly completed: boolean }) => thing.completed)).toStrictEqual([true, true, true])
      expect(ticked).toHaveLength(3)
    } finally {
      await close()
    }
  })

  it("ticks the next thing after one whose page was opened in a tab of its own", async () => {
    const { close, page } = await openChromium()
    try {
      const person = await enter(page)
      const { list } = await person.rest("POST", "/lists", {
        title: "Shop",
        things: [{ text: "Milk" }, { text: "Tea" }]
      })
      await page.goto(`${server().url}/lists/${list.id}`)
      await page.getByLabel("Add a thing").fill("Rye")
      await page.getByRole("checkbox", { name: "Milk" }).click({ modifiers: ["ControlOrMeta"] })
      // Not each new tab of Chromium is reported while it is not in sight, so the thing itself is asked.
      const milk = async () => (await person.rest("GET", `/lists/${list.id}`)).things[0].completed as boolean
      await expect.poll(milk).toBe(true)
      await page.getByRole("checkbox", { name: "Tea" }).click()
      await page.getByText("Completed “Tea”").waitFor()
      expect(await page.getByLabel("Add a thing").inputValue()).toBe("Rye")
    } finally {
      await close()
    }
  })

  it("stays where the page is scrolled to before all of it is loaded", async () => {
    const { close, page } = await openChromium({ serviceWorkers: "block" })
    try {
      const person = await enter(page)
      const { list } = await person.rest("POST", "/lists", {
        title: "Long",
        things: Array.from({ length: 200 }, (_, at) => ({ text: `Thing ${at}` }))
      })
      await page.goto(`${server().url}/lists/${list.id}`)
      const loads = Promise.withResolvers<void>()
      await page.route("**/icon*.svg*", async (route) => {
        await loads.promise
        await route.continue()
      })
      const at = () => page.evaluate("scrollY").then(Number)
      const box = page.getByRole("checkbox", { name: "Thing 100" })
      await box.scrollIntoViewIfNeeded()
      const before = await at()
      await box.click({ noWaitAfter: true })
      await page.getByText("Completed “Thing 100”").waitFor()
      // The page shows the notice a moment before its script scrolls it.
      await expect.poll(at).toBe(before)
      expect(await page.evaluate("document.readyState")).toBe("interactive")
      await page.mouse.move(500, 400)
      await page.mouse.wheel(0, 1_000)
      await expect.poll(at).toBe(before + 1_000)
      loads.resolve()
      await page.waitForLoadState("load")
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      expect(await at()).toBe(before + 1_000)
    } finally {
      await close()
    }
  })

  it("keeps the rows in their places, also where the browser would scroll to the thing that was ticked", async () => {
    const { close, page } = await openChromium()
    try {
      const person = await enter(page)
      const { list } = await person.rest("POST", "/lists", {
        title: "Long",
        things: Array.from({ length: 40 }, (_, at) => ({ text: `Thing ${at}` }))
      })
      await page.goto(`${server().url}/lists/${list.id}`)
      for (const name of ["Thing 9", "Thing 3"]) {
        await page.getByRole("checkbox", { name, exact: true }).click()
        await page.getByText(`Completed “${name}”`).waitFor()
        await page.waitForLoadState("load")
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        const marked = `[...document.querySelectorAll(".text")]
          .filter((text) => getComputedStyle(text).boxShadow !== "none").map(({ textContent }) => textContent)`
        expect(await page.evaluate(`[location.hash, scrollY, ...${marked}]`)).toStrictEqual(["", 0, name])
      }
    } finally {
      await close()
    }
  })

  it("sees the next day from the midnight of the account on, in a browser of another zone", async () => {
    const { close, page } = await openChromium({ timezoneId: "America/New_York" })
    try {
      const person = await enter(page, { timezone: "Europe/Vienna" })
      await page.clock.install({ time: "2031-04-01T21:58:30Z" })
      await page.goto(`${server().url}/days/2031-04-01`)
      await person.rest("POST", "/things", { text: "From elsewhere", list: "2031-04-01" })
      await page.clock.runFor(60_000)
      expect(await page.getByText("From elsewhere").count()).toBe(0)
      await page.clock.runFor(120_000)
      await page.getByText("From elsewhere").waitFor()
    } finally {
      await close()
    }
  })

  it("sends a form again after its first sending was stopped", async () => {
    const { close, context, page } = await openChromium({ serviceWorkers: "block" })
    await enter(page)
    await page.goto(`${server().url}/days/2031-02-01`)
    await page.getByLabel("Add a thing").fill("Once more")
    await context.route("**/add", () => undefined, { times: 1 })
    const asked = page.waitForRequest("**/add")
    await page.keyboard.press("Enter")
    await asked
    const session = await context.newCDPSession(page)
    await session.send("Page.stopLoading")
    await expect.poll(() => page.evaluate("document.querySelectorAll('form[data-sent]').length")).toBe(0)
    await page.keyboard.press("Enter")
    await page.getByText("Added “Once more”").waitFor()
    await close()
  })

  it("sends a form again after half a minute, since Firefox and Safari do not report that loading was stopped", async () => {
    const { close, page } = await openChromium()
    await enter(page)
    await page.goto(`${server().url}/days/2031-02-02`)
    await page.getByLabel("Add a thing").fill("Once more")
    // Simulates a submission that leads to no page, without any event.
    await page.evaluate("addEventListener('submit', (event) => event.preventDefault(), { once: true })")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.querySelectorAll('form[data-sent]').length")).toBe(1)
    expect(new URL(page.url()).pathname).toBe("/days/2031-02-02")
    await page.clock.setSystemTime("2099-01-01")
    await page.keyboard.press("Enter")
    await page.getByText("Added “Once more”").waitFor()
    await close()
  })

  it("goes on with the things that were ticked after one that did not arrive, once that is sent again", async () => {
    const { close, context, page } = await openChromium()
    try {
      const person = await enter(page)
      const things = ["Milk", "Tea", "Rye"].map((text) => ({ text }))
      const { list } = await person.rest("POST", "/lists", { title: "Shop", things })
      await page.goto(`${server().url}/lists/${list.id}`)
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
      await goOffline(context)
      await page.evaluate("for (const box of document.querySelectorAll('button.box')) box.click()")
      await page.getByRole("alert").filter({ hasText: "did not arrive" }).waitFor()
      await context.setOffline(false)
      await page.getByRole("button", { name: "Send it again" }).click()
      await page.getByText("Completed “Rye”").waitFor()
      const read = (await person.rest("GET", `/lists/${list.id}`)).things
      expect(read.map((thing: { readonly completed: boolean }) => thing.completed)).toStrictEqual([true, true, true])
      expect(await page.evaluate("sessionStorage.getItem('pressed')")).toBeNull()
    } finally {
      await close()
    }
  })

  it("is offered the zone of the browser with the page, not once its script has come, nor one with the same clock", async () => {
    const { close, page } = await openChromium({ serviceWorkers: "block", timezoneId: "America/New_York" })
    try {
      const { browser } = await enter(page)
      const arrives = Promise.withResolvers<void>()
      await page.route("**/app.js*", async (route) => {
        await arrives.promise
        await route.continue()
      })
      await page.goto(`${server().url}/today`, { waitUntil: "commit" })
      await page.getByText("this browser is in America/New_York").waitFor()
      expect(await page.evaluate("document.querySelector('form.add') !== null")).toBe(true)
      arrives.resolve()
      await page.getByRole("button", { name: "Use it" }).click()
      await page.waitForURL("**/today?done=**")
      const offer = page.getByText("this browser is in")
      expect(await offer.isVisible()).toBe(false)
      const zone = (await browser.get("/today")).form("/account/zone")
      // Another name of the same zone, and one whose clock is the same in winter.
      for (const [name, isOffered] of [
        ["US/Eastern", false],
        ["America/Panama", true]
      ] as const) {
        zone.set("timezone", name)
        await browser.post("/account/zone", zone)
        await page.goto(`${server().url}/account`)
        expect([name, await offer.isVisible()]).toStrictEqual([name, isOffered])
      }
    } finally {
      await close()
    }
  })
})
