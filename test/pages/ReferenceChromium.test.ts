import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Chromium, expectGood, givenChromium, hasChromium } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

describe.skipIf(!hasChromium)("the reference of the API", () => {
  let chromium: Chromium
  beforeAll(async () => {
    chromium = await openChromium()
  })
  afterAll(() => chromium.close())

  it("comes from this server alone, breaks no policy, fits a phone, and tries an operation with the reader's key", async () => {
    const { page } = chromium
    const { key, rest } = await signedIn(server())
    await rest("POST", "/lists", { title: "Found by trying" })
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.goto(`${server().url}/docs`)
    const token = page.getByPlaceholder("Token").first()
    await token.waitFor()
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await page.evaluate("document.documentElement.scrollWidth")]).toStrictEqual([width, width])
    }
    await page.setViewportSize({ width: 1200, height: 800 })
    await token.fill(key)
    await page
      .getByRole("button", { name: /Test Request.*get \/lists/ })
      .first()
      .click()
    await page.getByRole("button", { name: /^Send/ }).first().click()
    await page.getByText("Found by trying").first().waitFor()
    expect(asked.some((url) => url.startsWith(`${server().url}/api/v1/lists`))).toBe(true)
    expect(asked.filter((url) => !url.startsWith(server().url) && !/^(?:data|blob):/.test(url))).toStrictEqual([])
    expect(chromium.complaints).toStrictEqual([])
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(key)
  })

  it("is a plain page for readers without scripts", async () => {
    const plain = await openChromium({ javaScriptEnabled: false })
    await plain.page.goto(`${server().url}/docs`)
    await plain.page.getByRole("link", { name: "POST /things", exact: true }).click()
    expect(plain.page.url()).toBe(`${server().url}/docs#createThing`)
    expect(await plain.page.getByRole("heading", { name: "POST /things", exact: true }).isVisible()).toBe(true)
    await plain.close()
  })

  it("has a plain page without accessibility problems", async () => {
    const { page } = chromium
    await page.route("**/docs/*.js*", (route) => route.abort())
    await page.goto(`${server().url}/docs`)
    await expectGood(page)
    await page.unroute("**/docs/*.js*")
  })
})
