import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Chromium, givenChromium, goOffline, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

describe.skipIf(!hasChromium)("an import in Chromium", () => {
  let chromium: Chromium
  beforeAll(async () => {
    chromium = await openChromium()
    const { page } = chromium
    await page.goto(`${server().url}/`)
    await signInOn(page, (await signedIn(server())).email)
    await page.waitForURL("**/today")
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
  })
  afterAll(() => chromium.close())

  it("keeps the file of an import that did not arrive", async () => {
    const { context, page } = chromium
    await page.goto(`${server().url}/lists`)
    await page.getByText("Import markdown").click()
    const file = { name: "Autumn.md", mimeType: "text/markdown", buffer: Buffer.from("- [ ] Rake “leaves”\n") }
    await page.getByLabel("A file").setInputFiles(file)
    await goOffline(context)
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByText("did not arrive").waitFor()
    await context.setOffline(false)
    await page.getByRole("button", { name: "Send it again" }).click()
    await page.getByRole("heading", { name: "Autumn" }).waitFor()
    await page.getByRole("checkbox", { name: "Rake “leaves”" }).waitFor()
    await page.goto(`${server().url}/lists`)
    await page.getByText("Import markdown").click()
    await page.getByLabel("A file").setInputFiles({ ...file, buffer: Buffer.from("- caf\xe9\n", "latin1") })
    await goOffline(context)
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByRole("heading", { name: "Offline" }).waitFor()
    expect(await page.getByText("did not arrive").count()).toBe(0)
    await context.setOffline(false)
  })

  it("shows its form, with what was typed, to Back after a refusal", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/lists`)
    await page.getByText("Import markdown").click()
    const text = "x".repeat(10_001)
    await page.getByLabel("Or text").fill(text)
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByText("That did not work").waitFor()
    await page.getByRole("link", { name: "Tags" }).click()
    await page.waitForURL("**/tags")
    await page.evaluate("history.back()")
    await page.waitForURL("**/lists")
    expect(await page.getByLabel("Or text").inputValue()).toBe(text)
    await page.getByLabel("Or text").fill("")
  })

  it("takes words that are dragged into a field where files can be dropped", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/lists`)
    const field = page.getByLabel("Title of a new list")
    await page.getByRole("heading", { level: 1 }).selectText()
    await page.getByRole("heading", { level: 1 }).dragTo(field, { sourcePosition: { x: 10, y: 15 } })
    await expect.poll(() => field.inputValue()).toBe("Lists")
    await field.fill("")
  })
})
