import { describe, expect, it } from "@effect/vitest"
import { Browser } from "../signin/Browser.ts"
import { password } from "../signin/SignInServer.ts"
import { doneIn, givenServer, signedIn, withThing } from "./Given.ts"

const server = givenServer()

/** Sends a form twice; returns the addresses to which both led. */
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
      // As the page of an ended session sends it, which is another page and has no empty fields.
      for (const [name, value] of [...form]) if (value === "") form.delete(name)
      form.set("back", "/today")
      expect((await browser.post(action, form)).location).toBe(first)
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

  it("completes an occurrence once, and says the same; but completes it anew where that was undone since", async () => {
    const { browser, rest } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Water the ferns", tags: ["ferns"], list: "2030-01-04" })
    const path = `/things/${thing.id}`
    await rest("PUT", `${path}/reminder`, { at: "2026-11-01T09:00", repeat: "daily" })
    const due = async () => (await rest("GET", path)).reminder.at
    for (const [page, action] of [
      ["/days/2030-01-04", "/things/tick"],
      ["/tags?tag=ferns", "/things/tick"],
      [path, `${path}/state`]
    ] as const) {
      const before = await due()
      const form = (await browser.get(page)).form(action)
      if (action === "/things/tick") form.set("complete", `${thing.id}@${before}`)
      else form.set("state", "completed")
      const [first, again] = await twice(browser, action, form)
      expect(again).toBe(first)
      const shown = await browser.get(again!)
      expect(doneIn(shown)).toMatch(/^Completed “Water the ferns”/)
      const next = await due()
      expect(next).not.toBe(before)
      const undo = /action="(\/account\/history\/[^"]+\/undo)"/.exec(shown.text)![1]!
      expect((await browser.post(undo, shown.form(undo))).status).toBe(303)
      expect(await due()).toBe(before)
      expect((await browser.post(action, form)).location).not.toBe(first)
      expect(await due()).toBe(next)
    }
  })

  it("sets its reminder as it did, though its days moved it and it took fields of others from it", async () => {
    const { browser, path, rest } = await withThing(server())
    for (const fields of [
      { time: "09:00", days: "monday" },
      { time: "", duration: "30" },
      { time: "09:00", repeat: "none", every: "3" }
    ]) {
      const form = (await browser.get(path)).form(`${path}/reminder`)
      for (const [name, value] of Object.entries({ day: "2030-06-01", ...fields })) form.set(name, value)
      await twice(browser, `${path}/reminder`, form)
      expect((await rest("GET", path)).reminder.at).not.toBeNull()
      await rest("DELETE", `${path}/reminder`)
    }
  })

  it("undoes once, and offers its redo, on the page and in the history", async () => {
    const { browser, rest, send } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Milk", list: "2030-01-05" })
    const { page } = await send("/days/2030-01-05", "/things/tick", { complete: thing.id })
    const action = /action="(\/account\/history\/[^"]+\/undo)"/.exec(page.text)![1]!
    const inHistory = (await browser.get("/account/history")).form(action)
    const [first, again] = await twice(browser, action, page.form(action))
    expect(again).toBe(first)
    const shown = await browser.get(again!)
    expect(doneIn(shown)).toBe("Undid: Completed “Milk”.")
    expect(shown.text).toContain(">Redo</button>")
    expect((await rest("GET", `/things/${thing.id}`)).thing.completed).toBe(false)
    const { location } = await browser.post(action, inHistory)
    expect((await browser.get(location!)).text).toContain("It was undone.")
    const redo = /action="(\/account\/history\/[^"]+\/undo)"/.exec(shown.text)![1]!
    expect((await browser.post(redo, shown.form(redo))).status).toBe(303)
    const refused = await browser.post(action, inHistory)
    expect([refused.status, refused.text.includes("was undone and redone")]).toStrictEqual([409, true])
  })

  it("is told that another browser has undone it", async () => {
    const { browser, email, send } = await signedIn(server())
    const { at, page } = await send("/days/2030-01-06", "/days/2030-01-06/add", { markdown: "Milk" })
    const action = /action="(\/account\/history\/[^"]+\/undo)"/.exec(page.text)![1]!
    const other = new Browser(server().url)
    await other.signIn(email, password)
    await other.post(action, (await other.get("/account/history")).form(action))
    const refused = await browser.post(action, page.form(action))
    expect([refused.status, refused.text.includes("This operation was undone already")]).toStrictEqual([409, true])
    expect((await browser.get(at)).text).not.toContain(action)
  })

  it("deletes a thing or a list once, says so, and offers to undo it; also of what another page deleted", async () => {
    const { browser, list, path, rest } = await withThing(server())
    for (const page of [path, `/lists/${list.id}`]) {
      const shown = await browser.get(page)
      const [first, again] = await twice(browser, `${page}/delete`, shown.form(`${page}/delete`))
      expect(again).toBe(first)
      const left = await browser.get(again!)
      expect(doneIn(left)).toMatch(/^Deleted /)
      const undo = /action="(\/account\/history\/[^"]+\/undo)"/.exec(left.text)![1]!
      expect((await browser.post(undo, left.form(undo))).status).toBe(303)
      await rest("DELETE", page)
      const late = await browser.post(`${page}/delete`, shown.form(`${page}/delete`))
      expect(doneIn(await browser.get(late.location!))).toBe(doneIn(left))
      const [{ id: deletion }] = (await rest("GET", "/operations")).operations
      await rest("POST", `/operations/${deletion}/undo`)
    }
  })

  it("saves, moves or removes once, and offers to undo the first; but says where nothing was changed", async () => {
    const { browser, list, path, rest } = await withThing(server())
    const home = `/lists/${list.id}`
    const past = "2026-11-01"
    await rest("POST", "/things", { text: "Left over", list: past })
    await rest("PUT", `${path}/reminder`, { at: "2030-06-01" })
    for (const [page, action, name, value] of [
      [path, `${path}/edit`, "text", "Oat milk"],
      [home, `${home}/edit`, "title", "Kitchen"],
      [path, `${path}/reminder/remove`, "sure", "yes"],
      [path, `${path}/move`, "day", "tomorrow"],
      [`/days/${past}`, `/days/${past}/move`, "sure", "yes"]
    ] as const) {
      const form = (await browser.get(page)).form(action)
      form.set(name, value)
      const [first, again] = await twice(browser, action, form)
      expect([action, again]).toStrictEqual([action, first])
      const shown = await browser.get(again!)
      expect(doneIn(shown)).toMatch(/^(?:Changed|Renamed|Removed|Moved) /)
      expect(shown.text).toContain("/undo")
      if (!action.endsWith("/edit")) continue
      const { location } = await browser.post(action, (await browser.get(page)).form(action))
      expect(doneIn(await browser.get(location!))).toBe("Nothing was changed.")
    }
    const form = (await browser.get(path)).form(`${path}/edit`)
    form.set("text", "Soy milk")
    await rest("PATCH", path, { text: "Soy milk" })
    const { location } = await browser.post(`${path}/edit`, form)
    expect(doneIn(await browser.get(location!))).toBe("Nothing was changed.")
  })

  it("completes, reopens, stars or archives once, and offers to undo the first", async () => {
    const { browser, list, path, thing } = await withThing(server())
    const home = `/lists/${list.id}`
    for (const [page, action, name, value] of [
      [home, "/things/tick", "complete", thing.id],
      [home, "/things/tick", "reopen", thing.id],
      [path, `${path}/state`, "state", "canceled"],
      [home, "/lists/star", "star", list.id],
      [home, `${home}/archive`, "archived", "true"]
    ] as const) {
      const form = (await browser.get(page)).form(action)
      form.set(name, value)
      const [first] = await twice(browser, action, form)
      const [again] = await twice(browser, action, form)
      const [said, saidAgain] = [await browser.get(first!), await browser.get(again!)]
      expect(doneIn(saidAgain)).toBe(doneIn(said))
      const undo = /action="(\/account\/history\/[^"]+\/undo)"/.exec(saidAgain.text)?.[1]
      expect([name, undo]).toStrictEqual([name, expect.stringContaining(new URL(first!).searchParams.get("done")!)])
    }
  })
})
