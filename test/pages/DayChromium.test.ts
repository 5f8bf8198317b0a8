import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { script } from "@lists-and-things/http/pages/Script"
import { middayToday } from "@lists-and-things/testing/Midday"
import { type Chromium, expectGood, givenChromium, goOffline, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn, type SignedIn } from "./Given.ts"
import { checkPage } from "./PageCheck.ts"

const openChromium = givenChromium()

const server = givenServer()

const enter = async (page: Page, person: SignedIn): Promise<void> => {
  await page.goto(`${server().url}/`)
  await signInOn(page, person.email)
  await page.waitForURL("**/today")
}

const day = [
  { text: "Plan the day", completed: true },
  { text: "Call the dentist about **Thursday**", tags: ["health"] },
  { text: "Write the report", favorited: true, note: "Ask Ben for the numbers" },
  { text: "Gather the figures", tabs: 1, completed: true },
  { text: "First draft", tabs: 1 },
  { text: "Evening", header: true },
  { text: "Water the plants", tags: ["home"] },
  { text: "Fix the shelf", canceled: true }
]

const trip = [
  { text: "Before we leave", header: true },
  { text: "Book the **night train** to Trieste", completed: true },
  { text: "Pack", tags: ["bags"] },
  { text: "Passports", tabs: 1, note: "Top drawer,\n  left side" },
  { text: "Swimming things", tabs: 1, completed: true },
  { text: "On the way", header: true },
  { text: "Timetable", type: "bullet", url: "https://trains.example/timetable" },
  { text: "Ask for a quiet table", type: "number" },
  { text: "Order the soup", type: "number" },
  { text: "A sea breeze is worth a long walk.", type: "none", quote: true }
]

describe.skipIf(!hasChromium)("the day in Chromium", () => {
  let chromium: Chromium
  let person: SignedIn
  let list: { readonly id: string }
  beforeAll(async () => {
    chromium = await openChromium()
    person = await signedIn(server())
    await person.rest("POST", "/things/bulk", { list: "today", items: day })
    ;({ list } = await person.rest("POST", "/lists", { title: "Summer holiday", things: trip }))
    await person.rest("PATCH", `/lists/${list.id}`, { favorited: true })
    for (const title of ["Groceries", "Books to read", "House", "Garden in spring"])
      await person.rest("POST", "/lists", { title, things: [{ text: `${title}: begin`, tags: [title] }] })
    const { things } = await person.rest("GET", "/today")
    const plants = things.find(({ text }: { text: string }) => text === "Water the plants")
    await person.rest("PUT", `/things/${plants.id}/reminder`, {
      at: `${middayToday()}T19:00`,
      repeat: "weekly",
      every: 2,
      color: "#2f9e79"
    })
    await enter(chromium.page, person)
  })
  afterAll(() => chromium.close())

  it("is planned by keyboard alone: a line is added, ticked, and the tick undone", async () => {
    const { page } = chromium
    await checkPage(page, "today")
    await page.getByLabel("Add a thing").focus()
    await page.keyboard.type("Buy stamps")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/today?done=*")
    await expect.poll(() => page.getByRole("status").textContent()).toContain("Added “Buy stamps”")
    const box = page.getByRole("checkbox", { name: "Buy stamps" })
    await box.focus()
    await page.keyboard.press("Space")
    await page.waitForURL("**/today?done=*#t-*")
    expect(await box.getAttribute("aria-checked")).toBe("true")
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-checked')")).toBe("true")
    await expect.poll(() => page.getByRole("status").textContent()).toBe("Completed “Buy stamps”.")
    await checkPage(page, "today-ticked")
    await page.getByRole("button", { name: "Undo: Completed “Buy stamps”" }).press("Enter")
    await page.getByText("Undid: Completed “Buy stamps”").waitFor()
    expect(await box.getAttribute("aria-checked")).toBe("false")
    await page.reload()
    expect(
      (await person.rest("GET", "/today")).things.filter(({ text }: { text: string }) => text === "Buy stamps")
    ).toHaveLength(1)
  })

  it("has pages without accessibility problems", async () => {
    const { page } = chromium
    chromium.complaints.length = 0
    await page.getByRole("link", { name: "Tomorrow" }).click()
    await page.getByText("Nothing is planned for this day.").waitFor()
    await checkPage(page, "tomorrow")
    for (const name of ["Lists", "Reminders", "Tags"]) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click()
      await page.getByRole("heading", { level: 1, name }).waitFor()
      await checkPage(page, name.toLowerCase())
    }
    await page.getByRole("searchbox").fill("the")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Things" }).waitFor()
    await checkPage(page, "search")
    await page.goto(`${server().url}/lists/${list.id}`)
    await page.getByText("List settings").click()
    await checkPage(page, "list")
    await page.goto(`${server().url}/account`)
    await page
      .getByLabel(/^Revoke key/)
      .first()
      .click()
    await checkPage(page, "account")
    await page.goto(`${server().url}/offline`)
    await checkPage(page, "offline")
    expect(chromium.complaints).toStrictEqual([])
    await page.goto(`${server().url}/nowhere`)
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing is here")
    await checkPage(page, "nowhere")
  })

  it("keeps its scroll position over ticks and undos", async () => {
    const { page } = chromium
    const items = Array.from({ length: 80 }, (_, at) => ({ text: `Step ${at}` }))
    const { list: long } = await person.rest("POST", "/lists", { title: "Long", things: items })
    await page.goto(`${server().url}/lists/${long.id}`)
    const box = page.getByRole("checkbox", { name: "Step 60" })
    const placeOf = async () => Math.round((await box.boundingBox())?.y ?? 0)
    await box.focus()
    const before = await placeOf()
    await page.keyboard.press("Space")
    await page.waitForURL("**?done=*")
    await expect.poll(placeOf).toBe(before)
    const done = page.url()
    await page.getByRole("button", { name: "Undo: Completed “Step 60”" }).click()
    await page.waitForURL((url) => url.href !== done)
    await expect.poll(placeOf).toBe(before)
    await page.getByRole("link", { name: "Close" }).click()
    expect([await page.getByRole("status").count(), new URL(page.url()).search]).toStrictEqual([0, ""])
    expect(await placeOf()).toBe(before)
    await page.getByRole("checkbox", { name: "Step 1", exact: true }).click()
    await page.getByRole("link", { name: "Hide what is done" }).click()
    await page.getByRole("checkbox", { name: "Step 2", exact: true }).press("Space")
    await page.getByText("Completed “Step 2”").waitFor()
    expect(await page.getByRole("checkbox", { name: "Step 2", exact: true }).count()).toBe(0)
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main")
  })

  it("stars one list after another by keyboard", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/lists`)
    const star = page.getByRole("button", { name: "Star Groceries" })
    for (const pressed of ["true", "false"]) {
      await star.press("Enter")
      await expect.poll(() => star.getAttribute("aria-pressed")).toBe(pressed)
      await expect.poll(() => star.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
    }
  })

  it("nests a thing by a key on its box, and by buttons, with the focus where it was", async () => {
    const { page } = chromium
    const things = ["Pack", "Passports", "Tickets"].map((text) => ({ text }))
    const { list: made } = await person.rest("POST", "/lists", { title: "Nested", things })
    const tabs = async () =>
      (await person.rest("GET", `/lists/${made.id}`)).things.map((thing: { tabs: number }) => thing.tabs)
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-labelledby')?.slice(0, 9)")
    await page.goto(`${server().url}/lists/${made.id}`)
    const box = page.getByRole("checkbox", { name: "Passports" })
    await box.press(">")
    await page.getByText("Changed the nesting of “Passports”").waitFor()
    expect(await tabs()).toStrictEqual([0, 1, 0])
    expect(await box.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
    await page.getByRole("link", { name: "Close" }).click()
    await box.press("Control+<")
    await page.keyboard.press("Tab")
    expect(await focused()).toBe("edit t-01")
    await page.keyboard.press("<")
    await page.getByText("Changed the nesting of “Passports”").waitFor()
    expect(await tabs()).toStrictEqual([0, 0, 0])
    await page.getByLabel("Add a thing").pressSequentially("a > b")
    expect(await page.getByLabel("Add a thing").inputValue()).toBe("a > b")
    await page.getByText("List settings").click()
    await page.getByRole("link", { name: "Nest its things" }).click()
    await page.getByText("the keys < and > do the same").waitFor()
    await page.getByRole("button", { name: "Nest Tickets" }).press("Enter")
    await page.getByText("Changed the nesting of “Tickets”").waitFor()
    expect([await tabs(), await focused()]).toStrictEqual([[0, 0, 1], "shallower"])
    await checkPage(page, "nesting")
  })

  it("is reloaded when a person comes back to it, or after the machine slept, unless something was typed", async () => {
    const { close, page } = await openChromium()
    await enter(page, person)
    await page.clock.install()
    await page.goto(`${server().url}/days/2031-04-01`)
    const away = async (seconds: number) => {
      for (const hidden of [true, false]) {
        await page.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true })
          document.dispatchEvent(new Event("visibilitychange"))`)
        if (hidden) await page.clock.fastForward(seconds * 1000)
      }
    }
    await person.rest("POST", "/things", { text: "From elsewhere", list: "2031-04-01" })
    const shown = page.getByText("From elsewhere")
    await page.getByLabel("Add a thing").fill("Half a thought")
    await away(3600)
    expect(await page.getByLabel("Add a thing").inputValue()).toBe("Half a thought")
    await page.getByLabel("Add a thing").fill("")
    await away(60)
    expect(await shown.count()).toBe(0)
    await away(3600)
    await shown.waitFor()
    await person.rest("POST", "/things", { text: "Overnight", list: "2031-04-01" })
    await page.clock.fastForward(3_600_000)
    await page.getByText("Overnight").waitFor()
    await close()
  })

  it("focuses the field for the next line by script, since Safari shows no caret otherwise", async () => {
    const { close, page } = await openChromium()
    await enter(page, person)
    await page.goto(`${server().url}/days/2031-06-01`)
    await page.evaluate('location.hash = "#add"; document.activeElement.blur()')
    await page.evaluate(`{${script}}`)
    expect(await page.evaluate("document.activeElement.id")).toBe("add")
    await close()
  })

  it("distinguishes done from open things with forced colors, and prints them without its forms", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/today`)
    const ticks = (state: string) =>
      page.evaluate(`[...document.querySelectorAll("button.box[aria-checked=${state}]")]
        .map((box) => getComputedStyle(box, "::before").display !== "none")`)
    await page.emulateMedia({ forcedColors: "active" })
    expect(new Set((await ticks("true")) as ReadonlyArray<boolean>)).toStrictEqual(new Set([true]))
    expect(new Set((await ticks("false")) as ReadonlyArray<boolean>)).toStrictEqual(new Set([false]))
    await page.goto(`${server().url}/account/history`)
    const weight = (path: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(".subnav a[href='${path}']")).fontWeight`)
    expect([await weight("/account/history"), await weight("/account/webhooks")]).toStrictEqual(["600", "400"])
    await page.goto(`${server().url}/today`)
    await page.emulateMedia({ forcedColors: "none", media: "print" })
    expect(await page.getByLabel("Add a thing").isVisible()).toBe(false)
    expect(await page.getByRole("checkbox", { name: "First draft" }).isVisible()).toBe(true)
    await page.emulateMedia({ media: "screen" })
  })

  it("shows a text in the direction that it is written in", async () => {
    const { page } = chromium
    const { thing } = await person.rest("POST", "/things", { text: "שלום!", list: "2031-01-01" })
    await page.goto(`${server().url}/days/2031-01-01`)
    const placeOf = (at: number) =>
      page.evaluate(`(() => {
        const range = document.createRange()
        const text = document.getElementById("t-${thing.id}").firstChild
        range.setStart(text, ${at})
        range.setEnd(text, ${at + 1})
        return range.getBoundingClientRect().left
      })()`)
    expect(Number(await placeOf(4))).toBeLessThan(Number(await placeOf(0)))
    await expectGood(page)
  })

  it("lets a thing be edited, reminded of and moved with labelled fields", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/today`)
    await page.getByRole("link", { name: "Edit Call the dentist about Thursday" }).click()
    await page.getByRole("textbox", { name: "Note" }).fill("Bring the card")
    await page.getByRole("textbox", { name: "Tags" }).fill("health, phone")
    await page.getByText("Type, format, link and photos").click()
    await page.getByLabel("Format").selectOption("Quote")
    await checkPage(page, "thing-format")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("status").getByText("Changed the").waitFor()
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Undo")
    await page.getByText("Set a reminder").click()
    await page.getByLabel("Day", { exact: true }).fill("2030-06-01")
    await page.getByLabel("Time").fill("09:00")
    await page.getByLabel("Repeats").selectOption("Weekly")
    await page.getByLabel("Interval").fill("2")
    await checkPage(page, "thing")
    await page.getByRole("button", { name: "Set the reminder" }).click()
    await page.locator("strong", { hasText: "every 2 weeks on Saturday at 09:00" }).waitFor()
    await page.getByText("Sat 29 Jun 2030, 09:00").waitFor()
    await checkPage(page, "thing-reminder")
    await page.getByLabel("To a list, by its title").fill("Groceries")
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: "Groceries", exact: true }).waitFor()
  })

  it("takes a markdown file that is dropped on the page", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/lists`)
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(["# Dropped\\n\\n- [ ] First\\n- [x] Second\\n"], "dropped.md", { type: "text/markdown" }))
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await page.getByRole("button", { name: "Import" }).click()
    await page.getByRole("heading", { name: "Dropped" }).waitFor()
    expect(await page.getByRole("checkbox", { name: "Second" }).getAttribute("aria-checked")).toBe("true")
  })

  it("copies the address of the feed", async () => {
    const { context, page } = chromium
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto(`${server().url}/account`)
    await page.getByRole("button", { name: "Copy address" }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const address = await page.locator("#feed-url").textContent()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(address)
    expect(await page.getByRole("link", { name: "Subscribe" }).getAttribute("href")).toBe(
      address?.replace("http:", "webcal:")
    )
    // Simulates a site on another machine that is served over http.
    const { page: elsewhere, ...other } = await openChromium()
    await elsewhere.addInitScript("delete Navigator.prototype.clipboard")
    await elsewhere.goto(`${server().url}/account`)
    await signInOn(elsewhere, person.email)
    await elsewhere.locator("#feed-url").waitFor()
    expect(await elsewhere.getByRole("button", { name: "Copy address" }).isVisible()).toBe(false)
    await other.close()
  })

  it("can be installed, and says that the server is away", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/today`)
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    await page.reload()
    expect(await page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true)
    const session = await chromium.context.newCDPSession(page)
    const { errors } = (await session.send("Page.getAppManifest")) as { errors: ReadonlyArray<unknown> }
    expect(errors).toStrictEqual([])
    await goOffline(chromium.context)
    await page.goto(`${server().url}/lists`)
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Offline")
    expect(await page.getByText("200").count()).toBe(0)
    await chromium.context.setOffline(false)
    await page.getByRole("link", { name: "Try again" }).click()
    await page.getByRole("heading", { name: "Lists", level: 1 }).waitFor()
  })

  it("keeps a form that could not be sent, and sends it again", async () => {
    const { context, page } = chromium
    await page.goto(`${server().url}/days/2031-03-01`)
    await page.getByLabel("Add a thing").fill('# Plan <b>\n- [ ] "Tea" & 👩‍👩‍👧')
    await goOffline(context)
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("did not arrive").waitFor()
    expect(await page.getByLabel("Lines").inputValue()).toBe('# Plan <b>\n- [ ] "Tea" & 👩‍👩‍👧')
    await checkPage(page, "unsent")
    await page.getByLabel("Lines").fill("- [ ] Coffee")
    await context.setOffline(false)
    await page.getByRole("button", { name: "Send it again" }).click()
    await page.getByText("Added “Coffee”").waitFor()
    // As a proxy answers while the server restarts.
    for (const worker of context.serviceWorkers())
      await worker.evaluate(
        "{ const sent = fetch; self.fetch = async () => { self.fetch = sent; return new Response('Bad Gateway', { status: 502 }) } }"
      )
    await page.getByLabel("Add a thing").fill("Cake")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("did not arrive").waitFor()
    await page.getByRole("button", { name: "Send it again" }).click()
    await page.getByText("Added “Cake”").waitFor()
    await page.goto(`${server().url}/account`)
    await page.getByLabel("Current password").fill("not to be shown")
    await page.getByLabel("New password").fill("not to be shown")
    await goOffline(context)
    await page.getByRole("button", { name: "Change password" }).click()
    await page.waitForURL("chrome-error://**")
    await context.setOffline(false)
  })

  it("needs no scripts", async () => {
    const plain = await openChromium({ javaScriptEnabled: false })
    const { page } = plain
    await enter(page, person)
    await page.getByLabel("Add a thing").fill("Without scripts")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("checkbox", { name: "Without scripts" }).click()
    await page.getByRole("link", { name: "Edit Without scripts" }).click()
    await page.getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => page.getByRole("status").textContent()).toBe("Deleted “Without scripts”.")
    await page.getByRole("button", { name: /^Undo/ }).click()
    await page.getByRole("checkbox", { name: "Without scripts" }).waitFor()
    await page.goto(`${server().url}/lists`)
    await page.getByLabel("Title of a new list").fill("Plain")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("heading", { name: "Plain" }).waitFor()
    await plain.close()
  })
})
