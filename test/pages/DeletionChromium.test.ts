import { describe, expect, it } from "@effect/vitest"
import { givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

describe.skipIf(!hasChromium)("the deletion of a thing in Chromium", () => {
  it("marks nothing in its list, and its undo marks the thing that is back", async () => {
    const person = await signedIn(server())
    const things = ["Milk", "Bread", "Salt"].map((text) => ({ text }))
    const { list } = await person.rest("POST", "/lists", { title: "Home", things })
    const chromium = await openChromium()
    try {
      const { page } = chromium
      await page.goto(`${server().url}/lists/${list.id}`)
      await signInOn(page, person.email)
      const marked = () =>
        page.evaluate(`[...document.querySelectorAll(".text")]
          .filter((text) => getComputedStyle(text).boxShadow !== "none").map(({ textContent }) => textContent)`)
      await page.getByRole("link", { name: "Edit Bread" }).click()
      await page.getByRole("button", { name: "Delete" }).click()
      await page.getByText("Deleted “Bread”").waitFor()
      expect(await marked()).toStrictEqual([])
      expect(await page.evaluate("document.activeElement.getAttribute('aria-labelledby')")).toBe(
        await page.locator(".text", { hasText: "Salt" }).getAttribute("id")
      )
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByText("Undid: Deleted “Bread”").waitFor()
      expect(await marked()).toStrictEqual(["Bread"])
    } finally {
      await chromium.close()
    }
  })
})
