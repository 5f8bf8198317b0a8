import { describe, expect, it } from "@effect/vitest"
import { hasChromium, openChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

describe.skipIf(!hasChromium)("who is on a slow line", () => {
  it("ticks one thing after another, each once", async () => {
    const person = await signedIn(server())
    const { list } = await person.rest("POST", "/lists", {
      title: "Shop",
      things: ["Milk", "Tea", "Rye"].map((text) => ({ text }))
    })
    const { close, page } = await openChromium({ serviceWorkers: "block" })
    try {
      await page.goto(`${server().url}/`)
      await signInOn(page, person.email)
      await page.waitForURL("**/today")
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
})
