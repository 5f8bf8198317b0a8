import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Chromium, expectGood, givenChromium, hasChromium, signInOn } from "../signin/Chromium.ts"
import { givenServer, signedIn, type SignedIn } from "./Given.ts"

const openChromium = givenChromium()

const server = givenServer()

/** A word that is too long for a line and has no break opportunity. */
const long = "Donaudampfschifffahrtsgesellschaft".repeat(8)

describe.skipIf(!hasChromium)("a page on screens of all sizes", () => {
  let chromium: Chromium
  let person: SignedIn

  beforeAll(async () => {
    person = await signedIn(server())
    chromium = await openChromium()
    await chromium.page.goto(`${server().url}/`)
    await signInOn(chromium.page, person.email)
    await chromium.page.waitForURL("**/today")
  })

  afterAll(() => chromium.close())

  it("fits long and deeply nested content, from a small phone to a desktop", async () => {
    const { page } = chromium
    const { list } = await person.rest("POST", "/lists", { title: long, emoji: "🚢" })
    const { thing } = await person.rest("POST", "/things", { list_id: list.id, text: "Level 0" })
    const under = Array.from({ length: 41 }, (_, at) => ({ text: `Level ${at + 1}`, tabs: at + 1 }))
    await person.rest("POST", "/things/bulk", { list_id: list.id, items: under })
    const { list: home } = await person.rest("POST", "/lists", { title: "Home", things: [{ text: long }] })
    // Its page has a button that names the thing before it.
    const { thing: after } = await person.rest("POST", "/things", { list_id: home.id, text: "Milk" })
    const things = [`/things/${thing.id}`, `/things/${after.id}`]
    const paths = [`/lists/${list.id}`, `/lists/${list.id}?nest`, ...things, `/search?q=${long}`]
    for (const path of paths) {
      await page.goto(`${server().url}${path}`)
      await expectGood(page)
    }
  })

  it("shows a word that is searched for, at any width", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/search?q=groceries`)
    for (const width of [320, 700, 720, 830, 840, 955, 965, 1024]) {
      await page.setViewportSize({ width, height: 768 })
      const field = await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.find input'))"
      )
      expect([width, field]).toStrictEqual([width, 0])
    }
  })

  it("fits a small phone with large text on the page of today", async () => {
    const { page } = chromium
    await page.goto(`${server().url}/today`)
    await page.setViewportSize({ width: 320, height: 800 })
    await page.evaluate("void (document.documentElement.style.fontSize = '150%')")
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320)
    await page.setViewportSize({ width: 1024, height: 768 })
  })

  it("fits a small phone with text of twice the size", async () => {
    const { page } = chromium
    await page.setViewportSize({ width: 320, height: 800 })
    for (const path of ["/today", "/lists", "/account", "/account/history", "/sign-in"]) {
      await page.goto(`${server().url}${path}`)
      await page.evaluate("void (document.documentElement.style.fontSize = '200%')")
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toStrictEqual([path, 320])
    }
    await page.setViewportSize({ width: 1024, height: 768 })
  })

  it("gives the fields of a day the whole width where their buttons would leave them too little", async () => {
    const { page } = chromium
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(`${server().url}/today`)
    const widths = `["#add", "#date"].map((id) => {
      const field = document.querySelector(id)
      return field.offsetWidth === field.form.clientWidth
    })`
    expect(await page.evaluate(widths)).toStrictEqual([false, false])
    await page.evaluate("void (document.documentElement.style.fontSize = '200%')")
    expect(await page.evaluate(widths)).toStrictEqual([true, true])
    await page.setViewportSize({ width: 1024, height: 768 })
  })

  it("lays out a list by itself, so that typing above a long one does not lay it out anew", async () => {
    const { page } = chromium
    const { list } = await person.rest("POST", "/lists", { title: "Shed", things: [{ text: "Rake" }] })
    await page.goto(`${server().url}/lists/${list.id}`)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.things')).contain")).toBe("layout")
  })

  it("shows a note in the type of a text, and code in its own", async () => {
    const { page } = chromium
    const things = [
      { text: "Plumber", note: "Only in the\n  morning" },
      { text: "df -h", code: true }
    ]
    const { list } = await person.rest("POST", "/lists", { title: "Calls", things })
    await page.goto(`${server().url}/lists/${list.id}`)
    const isOfText = page.evaluate(`[...document.querySelectorAll("pre")].map((pre) =>
      getComputedStyle(pre).fontFamily === getComputedStyle(document.body).fontFamily)`)
    expect(await isOfText).toStrictEqual([true, false])
  })

  it("lets the bars scroll away on a low screen, and shows what has the focus beside a notice", async () => {
    const { page } = chromium
    const items = ["Plan the day", "Write the report", "First draft", "Water the plants"].map((text) => ({ text }))
    await person.rest("POST", "/things/bulk", { list: "today", items })
    await page.goto(`${server().url}/today`)
    await page.setViewportSize({ width: 320, height: 256 })
    await page.getByRole("link", { name: "Edit Water the plants" }).focus()
    const covered = await page.evaluate(`[...document.querySelectorAll("header, .sections")].some((bar) => {
      const { bottom, top } = bar.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })`)
    expect(covered).toBe(false)
    await person.rest("POST", "/things", { text: "W".repeat(400), list: "2031-05-01" })
    await page.goto(`${server().url}/days/2031-05-01`)
    await page.getByRole("checkbox").click()
    await page.getByText("Completed “WW").waitFor()
    expect((await page.locator(".toast").boundingBox())?.height).toBeLessThan(110)
    const uncovered = async (width: number, height: number) => {
      await page.setViewportSize({ width, height })
      await page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
      await page.getByText("List settings").focus()
      const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!
      const [focused, toast] = [await boxOf("summary"), await boxOf(".toast")]
      return focused.y + focused.height <= toast.y
    }
    expect([await uncovered(320, 256), await uncovered(390, 500), await uncovered(1024, 480)]).toStrictEqual([
      true,
      true,
      true
    ])
    await page.getByLabel("Another day").focus()
    expect(await page.evaluate('getComputedStyle(document.getElementById("date")).outlineStyle')).toBe("solid")
  })
})
