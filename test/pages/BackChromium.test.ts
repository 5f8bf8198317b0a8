import { describe, expect, it } from "@effect/vitest"
import { givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

describe.skipIf(!hasChromium)("the button Back of Chromium", () => {
  it("leaves a list and a thing at once, however many forms were sent from them", async () => {
    const person = await signedIn(server())
    const things = ["Milk", "Bread", "Salt"].map((text) => ({ text }))
    const { list } = await person.rest("POST", "/lists", { title: "Home", things })
    const chromium = await openChromium()
    try {
      const { page } = chromium
      await page.goto(`${server().url}/lists`)
      await signInOn(page, person.email)
      await page.getByRole("link", { name: "Home" }).click()
      for (const text of ["Milk", "Bread"]) {
        await page.getByRole("checkbox", { name: text }).click()
        await page.getByText(`Completed “${text}”`).waitFor()
      }
      await page.getByRole("link", { name: "Hide what is done" }).click()
      await page.getByRole("link", { name: "Edit Salt" }).click()
      await page.getByRole("button", { name: "Star", exact: true }).click()
      await page.waitForURL("**done=**")
      await page.getByRole("button", { name: "Complete", exact: true }).click()
      await page.getByText("Completed “Salt”").waitFor()
      const back = () => page.evaluate("history.back()")
      await back()
      await page.waitForURL((url) => `${url.pathname}${url.search}` === `/lists/${list.id}?open=`)
      await back()
      await page.waitForURL((url) => url.pathname === `/lists/${list.id}` && url.searchParams.has("done"))
      await back()
      await page.waitForURL("**/lists")
      await page.goForward()
      await page.getByText("3 of 3 done").waitFor()
      expect(new URL(page.url()).pathname).toBe(`/lists/${list.id}`)
    } finally {
      await chromium.close()
    }
  })

  it("shows the page of before anew where the browser kept it, and not at all after a sign-out", async () => {
    const person = await signedIn(server())
    const { list } = await person.rest("POST", "/lists", { title: "Home", things: [{ text: "Milk" }] })
    const chromium = await openChromium()
    try {
      const { page } = chromium
      await page.goto(`${server().url}/lists/${list.id}`)
      await signInOn(page, person.email)
      await page.getByText("Milk").waitFor()
      await page.getByLabel("Add a thing").fill("Half a thought")
      // Simulates how Firefox and Safari return to a page that was served over plain http.
      const comeBack = () =>
        page.evaluate('void dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
      await person.rest("POST", "/things", { text: "From elsewhere", list_id: list.id })
      await comeBack()
      await page.getByText("From elsewhere").waitFor()
      expect(await page.getByLabel("Add a thing").inputValue()).toBe("Half a thought")
      await chromium.context.clearCookies()
      await comeBack()
      await page.getByRole("button", { name: "Sign in" }).waitFor()
    } finally {
      await chromium.close()
    }
  })
})
