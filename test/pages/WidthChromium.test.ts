import { describe, expect, it } from "@effect/vitest"
import { expectGood, hasChromium, openChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

/** A word that is too long for a line and has no break opportunity. */
const long = "Donaudampfschifffahrtsgesellschaft".repeat(8)

describe.skipIf(!hasChromium)("the width of a page", () => {
  it("fits long and deeply nested content, from a small phone to a desktop", async () => {
    const person = await signedIn(server())
    const { list } = await person.rest("POST", "/lists", { title: long, emoji: "🚢" })
    const { thing } = await person.rest("POST", "/things", { list_id: list.id, text: "Level 0" })
    const under = Array.from({ length: 41 }, (_, at) => ({ text: `Level ${at + 1}`, tabs: at + 1 }))
    await person.rest("POST", "/things/bulk", { list_id: list.id, items: under })
    const { page, close } = await openChromium()
    await page.goto(`${server().url}/`)
    await signInOn(page, person.email)
    await page.waitForURL("**/today")
    const { list: home } = await person.rest("POST", "/lists", { title: "Home", things: [{ text: long }] })
    // Its page has a button that names the thing before it.
    const { thing: after } = await person.rest("POST", "/things", { list_id: home.id, text: "Milk" })
    const things = [`/things/${thing.id}`, `/things/${after.id}`]
    const paths = [`/lists/${list.id}`, `/lists/${list.id}?nest`, ...things, `/search?q=${long}`]
    for (const path of paths) {
      await page.goto(`${server().url}${path}`)
      await expectGood(page)
    }
    await close()
  })

  it("of a list is laid out by itself, so that typing above a long one does not lay it out anew", async () => {
    const person = await signedIn(server())
    const { list } = await person.rest("POST", "/lists", { title: "Home", things: [{ text: "Milk" }] })
    const { page, close } = await openChromium()
    await page.goto(`${server().url}/`)
    await signInOn(page, person.email)
    await page.waitForURL("**/today")
    await page.goto(`${server().url}/lists/${list.id}`)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.things')).contain")).toBe("layout")
    await close()
  })
})
