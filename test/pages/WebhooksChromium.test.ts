import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Chromium, expectGood, givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { type Receiver, receiver } from "../webhooks/Receivers.ts"
import { givenServer, signedIn } from "./Given.ts"
import { checkPage } from "./PageCheck.ts"

const openChromium = givenChromium()

const server = givenServer()

describe.skipIf(!hasChromium)("the webhooks of an account in Chromium", () => {
  let chromium: Chromium
  let phone: Receiver
  beforeAll(async () => {
    chromium = await openChromium()
    phone = await receiver("answers")
  })
  afterAll(async () => {
    await chromium.close()
    await phone.stop()
  })

  it("are made, tested, switched off and deleted, on pages that fit a phone, a desktop and the dark", async () => {
    const { page } = chromium
    const person = await signedIn(server())
    await page.goto(`${server().url}/account/webhooks`)
    await signInOn(page, person.email)
    await page.getByText("You have no webhooks.").waitFor()
    await checkPage(page, "webhooks-none")

    const make = async (url: string) => {
      await page.getByLabel("Address").fill(url)
      await page.getByLabel("Description").fill("The phone on the kitchen table")
      await page.getByLabel("Format").selectOption("ntfy")
      await page.getByRole("button", { name: "Create webhook" }).click()
    }
    await make("https://10.0.0.1/")
    expect(await page.getByRole("alert").textContent()).toContain("LAT_WEBHOOK_ALLOW")
    await checkPage(page, "webhooks-refused")
    // A long address wraps and moves nothing off the page.
    const long = `${phone.url}/${"a-very-long-topic-".repeat(20)}`
    await make(long)
    expect(await page.locator("#secret").textContent()).toMatch(/^whsec_/)
    await checkPage(page, "webhooks-made")

    await page.getByRole("button", { name: `Test ${long}` }).click()
    await page.getByText("Answered with status 200").waitFor()
    expect(phone.received.at(-1)?.body).toBe("This webhook works.")
    await checkPage(page, "webhooks-tested")
    await page.getByRole("button", { name: `Switch off ${long}` }).click()
    await page.getByText("The webhook is off").waitFor()
    await checkPage(page, "webhooks-off")
    await page.getByText("Delete", { exact: true }).click()
    await expectGood(page)
    await page.getByRole("button", { name: "Yes, delete it" }).click()
    await page.getByText("You have no webhooks.").waitFor()
    // The refused form is a 400, which the console tells of.
    expect(chromium.complaints.filter((each) => !each.includes("400"))).toStrictEqual([])
  })
})
