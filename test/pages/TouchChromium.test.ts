import { describe, expect, it } from "@effect/vitest"
import { givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

const things = [
  { text: "Before we leave", header: true },
  { text: "Book the **night train** to Trieste", completed: true },
  { text: "Pack", tags: ["bags"] },
  { text: "Passports", tabs: 1, note: "Top drawer" },
  { text: "Swimming things", tabs: 1, canceled: true },
  { text: "On the way", subheader: true },
  { text: "A sea breeze is worth a long walk.", type: "none", quote: true }
]

describe.skipIf(!hasChromium)("a page on a phone", () => {
  it("has targets of at least 44 px, except links within a text, and the day in sight", async () => {
    const person = await signedIn(server())
    const { rest } = person
    const { list } = await rest("POST", "/lists", { title: "Summer holiday", things })
    await rest("POST", "/things/bulk", { list: "today", items: things })
    const phone = await openChromium({ hasTouch: true, isMobile: true })
    const { page } = phone
    await page.goto(`${server().url}/`)
    await signInOn(page, person.email)
    await page.waitForURL("**/today")
    await page.setViewportSize({ width: 390, height: 844 })
    const small = (selectors: string) =>
      page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selectors)})].filter((part) => {
        if (!part.checkVisibility()) return false
        part.scrollIntoView({ block: "center" })
        const { bottom, left, right, top } = part.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        const reach = 43 / 2
        const hits = [[x - reach, y], [x + reach, y], [x, y - reach], [x, y + reach]]
        return !hits.every(([x, y]) => part.contains(document.elementFromPoint(Math.max(0, x), y)))
      }).map((part) => part.outerHTML)`)
    const fields = "main input:not([type=hidden], [type=radio], [type=checkbox]), main select, main .check"
    const everywhere = `${fields}, main button:not(.link), main summary, .sections a`
    await page.goto(`${server().url}/lists/${list.id}`)
    await page.getByText("List settings").tap()
    expect(await small(`${everywhere}, a.edit, .progress a`)).toStrictEqual([])
    await page.getByRole("checkbox", { name: "Passports" }).tap()
    await page.getByText("Completed “Passports”").waitFor()
    expect(await small(".toast a, .toast button")).toStrictEqual([])
    await page.getByRole("button", { name: "Undo" }).tap()
    await page.getByText("Undid: Completed “Passports”").waitFor()
    await page.getByRole("link", { name: "Close" }).tap()
    await page.getByRole("link", { name: "Edit Pack" }).tap()
    await page.getByText("Type, format, link and photos").tap()
    expect(await small(`${everywhere}, .eyebrow a`)).toStrictEqual([])
    for (const path of ["/today", "/lists", "/tags", "/account"]) {
      await page.goto(`${server().url}${path}`)
      expect([path, await small(`${everywhere}, .days a, .left-over > a, .cloud a, .subnav a`)]).toStrictEqual([
        path,
        []
      ])
    }
    await rest("POST", "/things/bulk", { list: "yesterday", items: [{ text: "Buy salt" }, { text: "Call mum" }] })
    await rest("POST", "/things", { text: "Bake", list_id: list.id }).then(({ thing }) =>
      rest("PUT", `/things/${thing.id}/reminder`, { at: "2026-01-01" })
    )
    await page.goto(`${server().url}/today`)
    await page.getByText("in other lists is due").waitFor()
    const offered = (await page.locator("[data-offer-zone]").boundingBox())?.height ?? 0
    const first = await page.locator(".thing").first().boundingBox()
    expect(first!.y - offered).toBeLessThan(480)
    expect(await page.getByRole("link", { name: "Yesterday" }).first().isVisible()).toBe(true)
    await rest("PATCH", `/lists/${list.id}`, { title: "Donaudampfschifffahrtsgesellschaft".repeat(3) })
    const [{ id }] = (await rest("GET", `/lists/${list.id}`)).things
    await page.goto(`${server().url}/things/${id}`)
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    await phone.close()
  })
})
