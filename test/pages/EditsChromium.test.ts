import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { expectGood, givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()
const pictures = process.env["LAT_PICTURES"]

describe.skipIf(!hasChromium)("a thing that is edited in two tabs of Chromium", () => {
  it("shows both versions, is saved after that, and is printed without its forms", async () => {
    const person = await signedIn(server())
    const { thing } = await person.rest("POST", "/things", { text: "Milk", note: "two litres" })
    const chromium = await openChromium()
    try {
      const { page } = chromium
      await page.goto(`${server().url}/things/${thing.id}`)
      await signInOn(page, person.email)
      await page.waitForURL(`**/things/${thing.id}`)
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByLabel("Text").fill("Oat milk")
      await other.getByLabel("Tags").fill("dairy")
      await other.getByRole("button", { name: "Save" }).click()
      await other.waitForURL("**done=**")

      await page.getByLabel("Text").fill("Soy milk")
      await page.getByLabel("Note").fill("three litres")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").filter({ hasText: "The text" }).waitFor()
      expect(await page.getByLabel("Text, as currently saved").inputValue()).toBe("Oat milk")
      expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Soy milk")
      expect(await page.getByLabel("Tags").inputValue()).toBe("dairy")
      await expectGood(page)
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, "both.png"), fullPage: true })
      await page.getByRole("button", { name: "Save my version" }).click()
      await page.waitForURL("**done=**")
      const saved = (await person.rest("GET", `/things/${thing.id}`)).thing
      expect(saved).toMatchObject({ text: "Soy milk", note: "three litres", tags: ["dairy"] })

      await page.emulateMedia({ media: "print" })
      const isPrinted = (label: string) => page.getByLabel(label, { exact: true }).isVisible()
      expect([await isPrinted("Note"), await isPrinted("To a list, by its title")]).toStrictEqual([true, false])
      expect(await page.getByText("Set a reminder").isVisible()).toBe(false)
    } finally {
      await chromium.close()
    }
  })
})
