import { describe, expect, it } from "@effect/vitest"
import type { Browser } from "../signin/Browser.ts"
import { doneIn, givenServer, signedIn } from "./Given.ts"

const server = givenServer()

/** Sends what the form asks for and sends it again; answers where both led to. */
const twice = async (browser: Browser, action: string, form: URLSearchParams) => {
  const led: Array<string | undefined> = []
  for (let n = 0; n < 2; n++) {
    const { location, status } = await browser.post(action, form)
    expect(status).toBe(303)
    led.push(location)
  }
  return led
}

describe("a form that is sent again because its answer was lost", () => {
  it("adds its lines once, and says the same", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Home" })
    for (const [page, action] of [
      [`/lists/${list.id}`, `/lists/${list.id}/add`],
      ["/days/2030-01-02", "/days/2030-01-02/add"]
    ] as const) {
      const form = (await browser.get(page)).form(action)
      form.set("markdown", "Milk\r\nBread")
      const [first, again] = await twice(browser, action, form)
      expect(again).toBe(first)
      const shown = await browser.get(again!)
      expect(doneIn(shown)).toMatch(/^Added 2 things \(“Milk” and “Bread”\) to /)
      expect(shown.text.match(/>Milk</g)).toHaveLength(1)
    }
    expect((await rest("GET", "/operations")).operations).toHaveLength(3)
  })

  it("makes its list once, by a title and from a document", async () => {
    const { browser, rest } = await signedIn(server())
    const seen = await browser.get("/lists")
    for (const [action, field] of [
      ["/lists/new", "title"],
      ["/lists/import", "markdown"]
    ] as const) {
      const form = seen.form(action)
      form.set(field, "# Camping\n- Tent")
      const [first, again] = await twice(browser, action, form)
      expect(again).toBe(first)
    }
    const { lists } = await rest("GET", "/lists")
    expect(lists.map(({ title }: { readonly title: string }) => title)).toStrictEqual(["Camping", "Camping"])
  })

  it("nests its thing one level, in the list and on the page of the thing", async () => {
    const { browser, rest } = await signedIn(server())
    const things = ["Pack", "Clothes", "Socks", "Shoes"].map((text, tabs) => ({ text, tabs: Math.min(tabs, 2) }))
    const { list } = await rest("POST", "/lists", { title: "Trip", things })
    const path = `/lists/${list.id}`
    const read = async () => (await rest("GET", path)).things
    const [, , , shoes] = await read()
    for (const [page, of, direction, level] of [
      [`${path}?nest=`, "/things/tick", "shallower", 1],
      [`/things/${shoes.id}`, "/things/nest", "shallower", 0],
      [`${path}?nest=`, "/things/tick", "deeper", 1],
      [`/things/${shoes.id}`, "/things/nest", "deeper", 2]
    ] as const) {
      const form = (await browser.get(page)).form(of)
      form.set(direction, shoes.id)
      const [first, again] = await twice(browser, "/things/nest", form)
      expect(again).toBe(first)
      expect(doneIn(await browser.get(again!))).toBe("Changed the nesting of “Shoes”.")
      expect((await read()).at(-1).tabs).toBe(level)
    }
  })

  it("adds what was typed since, and the same lines by a page that is shown anew", async () => {
    const { browser, rest, send } = await signedIn(server())
    const [page, action] = ["/days/2030-01-03", "/days/2030-01-03/add"] as const
    const form = (await browser.get(page)).form(action)
    for (const markdown of ["Milk", "Milk and honey"]) {
      form.set("markdown", markdown)
      expect((await browser.post(action, form)).status).toBe(303)
    }
    await send(page, action, { markdown: "Milk" })
    const { things } = await rest("GET", "/today?date=2030-01-03")
    expect(things.map(({ text }: { readonly text: string }) => text)).toStrictEqual(["Milk", "Milk and honey", "Milk"])
  })
})
