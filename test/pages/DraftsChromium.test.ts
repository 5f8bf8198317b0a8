import { describe, expect, it } from "@effect/vitest"
import type { BrowserContext, Page } from "playwright-core"
import { type ChromiumOptions, givenChromium, goOffline, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn, type SignedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

const enter = async (page: Page, email: string) => {
  await page.goto(`${server().url}/`)
  await signInOn(page, email)
  await page.waitForURL("**/today")
}

interface Given {
  readonly person: SignedIn
  readonly context: BrowserContext
  readonly page: Page
}

/** Someone who is signed in, in a browser of their own. */
const inChromium = async (test: (given: Given) => Promise<void>, options: ChromiumOptions = {}): Promise<void> => {
  const person = await signedIn(server())
  const { close, context, page } = await openChromium(options)
  try {
    await enter(page, person.email)
    await test({ person, context, page })
  } finally {
    await close()
  }
}

describe.skipIf(!hasChromium)("what was typed and not sent, in Chromium", () => {
  it("stays in its field while a thing is ticked and another page is looked at, until it is sent", () =>
    inChromium(async ({ page, person }) => {
      const { list } = await person.rest("POST", "/lists", { title: "Home", things: [{ text: "Milk" }] })
      await page.goto(`${server().url}/lists/${list.id}`)
      const add = page.getByLabel("Add a thing")
      await add.fill("Call An")
      await page.getByRole("checkbox", { name: "Milk" }).click()
      await page.getByText("Completed “Milk”").waitFor()
      expect(await add.inputValue()).toBe("Call An")
      await page.getByRole("link", { name: "Tags" }).click()
      await page.waitForURL("**/tags")
      await page.goto(`${server().url}/lists/${list.id}`)
      expect(await add.inputValue()).toBe("Call An")
      await add.fill("Call Anna")
      await add.press("Enter")
      await page.getByText("Added “Call Anna”").waitFor()
      expect(await add.inputValue()).toBe("")
      await page.reload()
      expect(await add.inputValue()).toBe("")
    }))

  it("stays in a form beside one that is sent, and replaces nothing that was saved elsewhere since", () =>
    inChromium(async ({ page, person }) => {
      const { thing } = await person.rest("POST", "/things", { text: "Milk", note: "two litres" })
      await page.goto(`${server().url}/things/${thing.id}`)
      await page.getByLabel("Note").fill("three litres")
      await person.rest("PATCH", `/things/${thing.id}`, { note: "four litres" })
      await page.getByRole("button", { name: "Star" }).click()
      await page.waitForURL("**done=**")
      expect(await page.getByLabel("Note").inputValue()).toBe("three litres")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").filter({ hasText: "The note" }).waitFor()
      expect(await page.getByLabel("Note, as currently saved").inputValue()).toBe("four litres")
    }))

  it("is the next line where the one before is still on its way, which is shown", () =>
    inChromium(async ({ page, person }) => {
      const { list } = await person.rest("POST", "/lists", { title: "Home" })
      await page.goto(`${server().url}/lists/${list.id}`)
      await page.getByLabel("Add a thing").fill("Milk")
      // In one step, so that the page is still there.
      await page.evaluate(`
        document.getElementById("add").focus()
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", cancelable: true }))
        document.execCommand("insertText", false, "Brea")`)
      await page.getByText("Added “Milk”").waitFor()
      await page.keyboard.type("d")
      await page.keyboard.press("Enter")
      await page.getByText("Added “Bread”").waitFor()
      expect(await page.getByLabel("Add a thing").inputValue()).toBe("")
      await page.evaluate("document.querySelector('form.add').dataset.sent = '1'")
      await expect.poll(() => page.evaluate("getComputedStyle(document.querySelector('form.add')).opacity")).toBe("0.6")
    }))

  it("keeps a line that is entered while another is on its way, or that a proxy answered while the server was away", () =>
    inChromium(
      async ({ page, person }) => {
        const { list } = await person.rest("POST", "/lists", { title: "Home" })
        await page.goto(`${server().url}/lists/${list.id}`)
        const arrives = Promise.withResolvers<void>()
        await page.route("**/add", async (route) => {
          await arrives.promise
          await route.continue()
        })
        await page.getByLabel("Add a thing").fill("Milk")
        for (const key of ["Enter", "T", "e", "a", "Enter", "R", "y", "e"]) await page.keyboard.press(key)
        arrives.resolve()
        await page.getByText("Added “Milk”").waitFor()
        expect(await page.getByLabel("Add a thing").inputValue()).toBe("Tea\nRye")
        await page.keyboard.press("Enter")
        await page.getByText("Added 2 things").waitFor()
        // Enter sends the field once the scripts run.
        await page.waitForLoadState()
        await page.unroute("**/add")
        await page.route("**/add", (route) => route.fulfill({ status: 502, body: "Bad Gateway" }))
        await page.getByLabel("Add a thing").fill("Call Anna")
        await page.keyboard.press("Enter")
        await page.getByText("Bad Gateway").waitFor()
        await page.goto(`${server().url}/lists/${list.id}`)
        expect(await page.getByLabel("Add a thing").inputValue()).toBe("Call Anna")
        // As a browser restores it from its memory, after a form in vain.
        const reloaded = page.waitForEvent("load")
        await page.evaluate(`{
          const field = document.getElementById("add")
          field.dataset.typed = "sent"
          sessionStorage.clear()
          sessionStorage.setItem("sent", "[]")
          dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
        }`)
        await reloaded
        await page.goto(`${server().url}/lists/${list.id}`)
        expect(await page.getByLabel("Add a thing").inputValue()).toBe("Call Anna")
        await page.unroute("**/add")
        await page.getByLabel("Add a thing").press("Enter")
        await page.getByText("Added “Call Anna”").waitFor()
        await page.goto(`${server().url}/lists/${list.id}`)
        expect(await page.getByLabel("Add a thing").inputValue()).toBe("")
      },
      { serviceWorkers: "block" }
    ))

  it("is not sent by the Enter that ends a word of an input method, before or after which browsers say so", () =>
    inChromium(async ({ context, page, person }) => {
      const { list } = await person.rest("POST", "/lists", { title: "Home" })
      await page.goto(`${server().url}/lists/${list.id}`)
      const add = page.getByLabel("Add a thing")
      await add.focus()
      const debugged = await context.newCDPSession(page)
      await debugged.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 })
      // The second event is Safari's, which comes when the word has ended.
      const isKept = (of: string) =>
        page.evaluate(
          `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", cancelable: true, bubbles: true, ${of} }))`
        )
      expect(await isKept("isComposing: true")).toBe(true)
      await debugged.send("Input.insertText", { text: "日本" })
      expect(await isKept("keyCode: 229")).toBe(true)
      expect(await add.inputValue()).toBe("日本")
      await add.press("Enter")
      await page.getByText("Added “日本”").waitFor()
    }))

  it("is there again where nothing came of sending it: the session had ended, it was refused, or the server was away", () =>
    inChromium(async ({ context, page, person }) => {
      const { list } = await person.rest("POST", "/lists", { title: "Home" })
      const { thing } = await person.rest("POST", "/things", { list_id: list.id, text: "Milk" })
      const add = page.getByLabel("Add a thing")
      const note = page.getByLabel("Note")
      await page.goto(`${server().url}/lists/${list.id}`)
      await add.fill("Call Anna")
      await context.clearCookies()
      await add.press("Enter")
      await page.getByText("Nothing was saved").waitFor()
      await page.getByRole("link", { name: "Sign in" }).click()
      await signInOn(page, person.email)
      await page.waitForURL("**/lists/*")
      expect(await add.inputValue()).toBe("Call Anna")

      // Longer than the texts that are shown once more to a person who was signed out.
      const long = "All about milk. ".repeat(5_000)
      await page.goto(`${server().url}/things/${thing.id}`)
      await note.fill(long)
      await context.clearCookies()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Nothing was changed").waitFor()
      await signInOn(page, person.email)
      await page.waitForURL("**/things/*")
      await person.rest("PATCH", `/things/${thing.id}`, { note: "two litres" })
      await page.goto(`${server().url}/things/${thing.id}`)
      expect(await note.inputValue()).toBe(long)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").filter({ hasText: "The note" }).waitFor()

      await page.goto(`${server().url}/lists/${list.id}`)
      await add.fill("x".repeat(10_001))
      await add.press("Enter")
      await page.getByRole("link", { name: "Go back" }).click()
      expect(await add.inputValue()).toBe("x".repeat(10_001))

      await add.fill("Bread")
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
      await goOffline(context)
      await add.press("Enter")
      await page.getByText("did not arrive").waitFor()
      await context.setOffline(false)
      await page.goto(`${server().url}/lists/${list.id}`)
      expect(await add.inputValue()).toBe("Bread")
      await goOffline(context)
      await add.press("Enter")
      await page.getByText("did not arrive").waitFor()
      await context.setOffline(false)
      await page.getByRole("button", { name: "Send it again" }).click()
      await page.getByText("Added “Bread”").waitFor()
      expect(await add.inputValue()).toBe("")
      expect(await page.evaluate("sessionStorage.length")).toBe(0)
    }))

  it("is there again after its form was refused and left, until it is saved", () =>
    inChromium(async ({ page, person }) => {
      const { thing } = await person.rest("POST", "/things", { text: "Milk" })
      const note = page.getByLabel("Note", { exact: true })
      const save = page.getByRole("button", { name: "Save" })
      const leaveAndComeBack = async () => {
        await page.getByRole("link", { name: "Tags" }).click()
        await page.waitForURL("**/tags")
        await page.goto(`${server().url}/things/${thing.id}`)
      }
      await page.goto(`${server().url}/things/${thing.id}`)
      await note.fill("two litres")
      await page.getByText("Type, format, link and photos").click()
      await page.getByLabel("Link").fill("not a url")
      await save.click()
      await page.getByRole("alert").filter({ hasText: "Link must be a URL" }).waitFor()
      await leaveAndComeBack()
      expect([await note.inputValue(), await page.getByLabel("Link").inputValue()]).toStrictEqual([
        "two litres",
        "not a url"
      ])
      await save.click()
      await page.getByRole("alert").filter({ hasText: "Link must be a URL" }).waitFor()
      await note.fill("three litres")
      await save.click()
      await page.getByRole("alert").filter({ hasText: "Link must be a URL" }).waitFor()
      await leaveAndComeBack()
      expect(await note.inputValue()).toBe("three litres")
      await page.getByLabel("Link").fill("example.com")
      await save.click()
      await page.waitForURL("**done=**")
      await person.rest("PATCH", `/things/${thing.id}`, { note: "four litres" })
      await leaveAndComeBack()
      expect(await note.inputValue()).toBe("four litres")
    }))

  it("is gone where what was saved elsewhere is kept", () =>
    inChromium(async ({ page, person }) => {
      const { thing } = await person.rest("POST", "/things", { text: "Milk" })
      await page.goto(`${server().url}/things/${thing.id}`)
      const note = page.getByLabel("Note", { exact: true })
      await note.fill("mine")
      await person.rest("PATCH", `/things/${thing.id}`, { note: "theirs" })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("link", { name: "Keep the saved version" }).click()
      await page.waitForURL(`**/things/${thing.id}`)
      expect(await note.inputValue()).toBe("theirs")
    }))

  it("is there again on the pages of the account, where the sign-in leads back to them", () =>
    inChromium(async ({ context, page, person }) => {
      for (const [path, label, text, button] of [
        ["/account", "Name", "Anna Maria", "Save"],
        ["/account/webhooks", "Address", "https://example.com/hook", "Create webhook"]
      ] as const) {
        await page.goto(server().url + path)
        const field = page.getByLabel(label, { exact: true })
        await field.fill(text)
        await context.clearCookies()
        await page.getByRole("button", { name: button }).click()
        await page.getByRole("link", { name: "Sign in" }).click()
        await signInOn(page, person.email)
        await page.waitForURL(server().url + path)
        expect(await field.inputValue()).toBe(text)
      }
    }))

  it("is forgotten with the sign-out, and shown to nobody else", () =>
    inChromium(async ({ context, page }) => {
      const bob = await signedIn(server())
      await page.getByLabel("Add a thing").fill("For Ann alone")
      await page.getByRole("link", { name: "Account" }).click()
      await page.waitForURL("**/account")
      await context.clearCookies()
      await enter(page, bob.email)
      expect(await page.getByLabel("Add a thing").inputValue()).toBe("")
      await page.getByLabel("Add a thing").fill("For Bob alone")
      await page.getByRole("link", { name: "Account" }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("button", { name: "Sign in" }).waitFor()
      expect(await page.evaluate("sessionStorage.length")).toBe(0)
    }))

  it("is there again on the page of today after midnight, as on the one before", () =>
    inChromium(async ({ page }) => {
      await page.getByLabel("Add a thing").fill("Call Anna")
      server().later(86_400_000)
      await page.reload()
      expect(await page.getByLabel("Add a thing").inputValue()).toBe("Call Anna")
      await page.getByLabel("Add a thing").press("Enter")
      await page.getByText("Added “Call Anna”").waitFor()
      expect(await page.getByRole("checkbox", { name: "Call Anna" }).count()).toBe(1)
    }))
})

describe.skipIf(!hasChromium)("a list that was just made, in Chromium", () => {
  it("has the focus where its things are typed, and goes back to the others with its undo", () =>
    inChromium(async ({ page }) => {
      await page.goto(`${server().url}/lists`)
      await page.getByLabel("Title of a new list").fill("Picnic")
      await page.keyboard.press("Enter")
      await page.getByText("Created the list “Picnic”").waitFor()
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("add")
      await page.getByRole("button", { name: /^Undo/ }).click()
      await page.getByText("Undid: Created the list “Picnic”").waitFor()
      expect(new URL(page.url()).pathname).toBe("/lists")
      await page.getByRole("button", { name: /^Redo/ }).click()
      await page.getByText("Redid: Created the list “Picnic”").waitFor()
    }))
})
