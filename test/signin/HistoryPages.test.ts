import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { type Chromium, expectGood, givenChromium, hasChromium, signInOn } from "./Chromium.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

const openChromium = givenChromium()

/** The folder for screenshots of the pages, if they are wanted. */
const pictures = process.env["LAT_PICTURES"]

const looks = [
  { name: "desktop", width: 1024, colorScheme: "light" },
  { name: "phone", width: 360, colorScheme: "light" },
  { name: "dark", width: 720, colorScheme: "dark" }
] as const

interface Person {
  readonly email: string
  readonly key: string
}

let server: SignInServer
beforeAll(async () => {
  server = await startServer({ hasher: quickHasher })
})
afterAll(() => server.stop())

const rest = async (person: Person, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${person.key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  // oxlint-disable-next-line typescript/no-explicit-any -- the contract's answers, taken apart by the test
  return (await response.json()) as any
}

const newest = async (person: Person): Promise<{ readonly id: string; readonly summary: string }> =>
  (await rest(person, "GET", "/operations")).operations[0]

const signedIn = async (person: Person): Promise<Browser> => {
  const browser = new Browser(server.url)
  await browser.signIn(person.email, password)
  return browser
}

const undoIn = async (browser: Browser, id: string, fields: Record<string, string> = {}) => {
  const form = (await browser.get(`/account/history/${id}`)).form(`/account/history/${id}/undo`)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return browser.post(`/account/history/${id}/undo`, form)
}

describe("the history of an account", () => {
  it("shows every change, newest first, in the account's zone, 50 a page", async () => {
    const person = await server.person({ timezone: "Europe/Vienna" })
    const browser = await signedIn(person)
    expect((await browser.get("/account/history")).text).toContain("Nothing has been changed yet.")
    for (let n = 0; n < 51; n++) await rest(person, "POST", "/lists", { title: `List <${n}>` })
    const { operations } = await rest(person, "GET", "/operations")
    const first = await browser.get("/account/history")
    const shown = [...first.text.matchAll(/List &#60;(\d+)&#62;”<\/a>/g)].map(([, n]) => Number(n))
    expect(shown).toStrictEqual(Array.from({ length: 50 }, (_, at) => 50 - at))
    const { at, by } = operations[0] as { at: string; by: { name: string; type: string } }
    const local = new Date(at).toLocaleString("sv-SE", { timeZone: "Europe/Vienna" })
    expect(first.text).toContain(`<time datetime="${at}">${local}</time>`)
    expect(first.text).toContain(`${by.name === "" ? "Unnamed key" : by.name}, through the API`)
    expect(first.text).toContain('href="/account/history?page=1"')
    const second = await browser.get("/account/history?page=1")
    expect(second.text).toContain("List &#60;0&#62;”</a>")
    expect(second.text).not.toContain("page=2")
    expect((await browser.get("/account/history?page=x")).text).toContain("List &#60;50&#62;”</a>")
  })

  it("shows what an operation changed, before and after", async () => {
    const person = await server.person()
    const browser = await signedIn(person)
    const { list } = await rest(person, "POST", "/lists", { title: "Garden", things: [{ text: "Rake" }] })
    const [{ id }] = (await rest(person, "GET", `/lists/${list.id}`)).things
    const making = `/account/history/${(await newest(person)).id}`
    const made = await browser.get(making)
    expect(made.text).toContain(`<h3>Created list <a href="/lists/${list.id}">“Garden”</a></h3>`)
    expect(made.text).toContain(`<h3>Created thing <a href="/things/${id}">“Rake”</a></h3>`)
    await rest(person, "PATCH", `/things/${id}`, { note: "<b>With gloves</b>" })
    const changed = await browser.get(`/account/history/${(await newest(person)).id}`)
    expect(changed.text).toMatch(/<th scope="row">note<\/th><td>.*nothing.*<\/td><td>&#60;b&#62;With gloves/)
    expect(changed.text).not.toContain('<th scope="row">text</th>')
    await rest(person, "DELETE", `/things/${id}`)
    const deleted = await browser.get(`/account/history/${(await newest(person)).id}`)
    expect(deleted.text).toContain('<th scope="row">text</th><td>Rake</td>')
    expect((await browser.get(making)).text).toContain(`Created thing <a href="/things/${id}">${id}</a>`)
  })

  it("undoes an operation by the form of this site, and redoes it", async () => {
    const person = await server.person()
    const browser = await signedIn(person)
    const { list } = await rest(person, "POST", "/lists", { title: "Once" })
    const { id } = await newest(person)
    expect((await undoIn(browser, id, { csrf: "x" })).status).toBe(403)
    expect((await rest(person, "GET", `/lists/${list.id}`)).list.title).toBe("Once")
    const undone = await undoIn(browser, id)
    const undo = (await newest(person)).id
    expect(undone.location).toBe(`${server.url}/account/history?undone=${undo}`)
    expect((await browser.get(undone.location!)).text).toMatch(/role="status">It was undone/)
    expect(await rest(person, "GET", `/operations/${undo}`)).toMatchObject({
      operation: { name: "undoOperation", surface: "web", undoes: id, by: { type: "session" } }
    })
    await expect(rest(person, "GET", `/lists/${list.id}`)).rejects.toThrow(/404/)
    expect((await browser.get("/account/history")).text).toContain('aria-label="Redo: Created the list “Once”">Redo<')
    const redone = await undoIn(browser, undo)
    expect((await rest(person, "GET", `/lists/${list.id}`)).list.title).toBe("Once")
    const { text } = await browser.get(redone.location!)
    expect(text).toMatch(/role="status">It was redone. <a [^>]*>Show the redo</)
    expect(text).toContain('aria-label="Undo: Created the list “Once”">Undo<')
    expect(text).toContain(">Redone</a>")
  })

  it("returns to the history of one thing or list after an undo there", async () => {
    const person = await server.person()
    const browser = await signedIn(person)
    const { thing } = await rest(person, "POST", "/things", { text: "Milk" })
    for (const only of [`thing=${thing.id}`, `list=${thing.list_id}`]) {
      await rest(person, "PATCH", `/things/${thing.id}`, { text: only })
      const { id } = await newest(person)
      const form = (await browser.get(`/account/history?${only}`)).form(`/account/history/${id}/undo`)
      const { location } = await browser.post(`/account/history/${id}/undo`, form)
      expect(location).toBe(`${server.url}/account/history?${only}&undone=${(await newest(person)).id}`)
    }
  })

  it("says if an operation had no effect", async () => {
    const person = await server.person()
    const browser = await signedIn(person)
    const { thing } = await rest(person, "POST", "/things", { text: "Milk" })
    for (const again of ["", "Nothing: it was that way already."]) {
      await rest(person, "PATCH", `/things/${thing.id}`, { completed: true })
      expect((await browser.get(`/account/history/${(await newest(person)).id}`)).text).toContain(again)
    }
  })

  it("says why an operation cannot be undone, with a link to the operation that prevents it", async () => {
    const person = await server.person()
    const browser = await signedIn(person)
    const { list } = await rest(person, "POST", "/lists", { title: "Ours" })
    const { id } = await newest(person)
    const form = (await browser.get(`/account/history/${id}`)).form(`/account/history/${id}/undo`)
    await rest(person, "POST", "/things", { list_id: list.id, text: "Later" })
    const later = await newest(person)
    const blocked = await browser.get(`/account/history/${id}`)
    expect(blocked.text).toContain(
      `the thing “Later” was added by the later operation <a href="/account/history/${later.id}">Added “Later”</a>. Undo that`
    )
    expect(() => blocked.form(`/account/history/${id}/undo`)).toThrow("No form")
    const refused = await browser.post(`/account/history/${id}/undo`, form)
    expect(refused.status).toBe(409)
    expect(refused.text).toMatch(/role="alert">This cannot be undone/)
    expect((await newest(person)).id).toBe(later.id)
  })

  it("offers no undo of settings, even if they move reminders", async () => {
    const person = await server.person()
    const { thing } = await rest(person, "POST", "/things", { text: "Milk" })
    await rest(person, "PUT", `/things/${thing.id}/reminder`, { at: "2099-01-01T09:00", repeat: "daily" })
    const browser = await signedIn(person)
    const settings = (await browser.get("/account")).form("/account/settings")
    settings.set("timezone", "Europe/Lisbon")
    settings.set("default_thing_type", "todo")
    settings.set("default_list_sort", "chronological")
    await browser.post("/account/settings", settings)
    const { id } = await newest(person)
    const { text } = await browser.get("/account/history")
    expect(text).toContain("which moved 1 reminder")
    expect(text).not.toContain(`/account/history/${id}/undo`)
    expect((await browser.get(`/account/history/${id}`)).text).toContain("which are never undone")
  })

  it("is visible only to its person", async () => {
    const [ann, ben] = [await server.person(), await server.person()]
    await rest(ann, "POST", "/lists", { title: "Secret" })
    const { id } = await newest(ann)
    const browser = await signedIn(ben)
    expect((await browser.get("/account/history")).text).not.toContain("Secret")
    expect((await browser.get(`/account/history/${id}`)).status).toBe(404)
    await rest(ben, "POST", "/lists", { title: "Mine" })
    const own = (await newest(ben)).id
    const form = (await browser.get(`/account/history/${own}`)).form(`/account/history/${own}/undo`)
    expect((await browser.post(`/account/history/${id}/undo`, form)).status).toBe(404)
    expect((await new Browser(server.url).get("/account/history")).location).toBe(
      `${server.url}/sign-in?next=%2Faccount%2Fhistory`
    )
  })
})

describe.skipIf(!hasChromium)("the history in a browser", () => {
  let chromium: Chromium
  beforeAll(async () => {
    chromium = await openChromium({ javaScriptEnabled: true })
  })
  afterAll(() => chromium.close())

  const look = async (name: string): Promise<void> => {
    const { page } = chromium
    await expectGood(page)
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    for (const { colorScheme, width, ...as } of looks) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 768 })
      await page.screenshot({ path: join(pictures, `${name}-${as.name}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: "light" })
  }

  it("is read and undone by keyboard, and looks right", async () => {
    const person = await server.person()
    const { page } = chromium
    const { list } = await rest(person, "POST", "/lists", { title: "Summer holiday", emoji: "⛱️" })
    const { thing } = await rest(person, "POST", "/things", { list_id: list.id, text: "Donaudampfschiff".repeat(30) })
    await rest(person, "PATCH", `/things/${thing.id}`, { text: "Book the night train", note: "Top berth\n  if any" })
    await rest(person, "PATCH", `/things/${thing.id}`, { completed: true })
    await rest(person, "PUT", `/things/${thing.id}/reminder`, { at: "2030-06-01T18:00", repeat: "none" })
    await page.goto(`${server.url}/account`)
    await signInOn(page, person.email)
    await page.getByRole("link", { name: "History" }).click()
    await page.waitForURL(`${server.url}/account/history`)
    await look("history")
    await page.getByRole("button", { name: /^Undo: Set the reminder/ }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL("**/account/history?undone=*")
    await expect
      .poll(() => page.getByRole("status").innerText())
      .toBe("It was undone. Show the undo, which can be undone as well.")
    await look("history-undone")
    await page.getByRole("link", { name: /^Changed .*Donau/ }).click()
    expect(await page.getByRole("row", { name: /^note/ }).textContent()).toContain("Top berth\n  if any")
    await look("operation")
    await rest(person, "DELETE", `/lists/${list.id}`)
    await page.goto(`${server.url}/account/history`)
    await page.getByRole("link", { name: /^Deleted the list/ }).click()
    await look("operation-deleted")
    await page.goto(`${server.url}/account/history`)
    await page.getByRole("button", { name: /^Undo: Created/ }).click()
    expect(await page.getByRole("alert").textContent()).toContain("This cannot be undone")
    await look("operation-blocked")
  })
})
