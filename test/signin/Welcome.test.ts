import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { PasswordLinks, passwordLinkLifetime, passwordLinkUrl } from "@lists-and-things/domain/caller/PasswordLinks"
import { Effect } from "effect"
import { Browser } from "./Browser.ts"
import { quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

const path = "/sign-in/welcome"
const fresh = "a good first password"

describe("a link for choosing a password", () => {
  let server: SignInServer
  let people = 0

  beforeAll(async () => {
    server = await startServer({ hasher: quickHasher })
  })

  afterAll(() => server.stop())

  const given = async () => {
    const email = `new-${++people}@example.com`
    await server.run(Effect.flatMap(Accounts, (accounts) => accounts.create({ email })))
    const make = () =>
      server.run(
        Effect.flatMap(PasswordLinks, (links) =>
          Effect.map(links.create(email), ({ secret }) => passwordLinkUrl("", secret))
        )
      )
    return { email, link: await make(), make, browser: new Browser(server.url) }
  }

  const choose = async (browser: Browser, link: string, password: string, more: Record<string, string> = {}) => {
    const form = (await browser.get(link)).form(path)
    form.set("password", password)
    for (const [name, value] of Object.entries(more)) form.set(name, value)
    return browser.post(path, form)
  }

  it("lets the person choose one, and signs them in", async () => {
    const { browser, email, link } = await given()
    const shown = await browser.get(link)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain(email)
    expect([shown.headers.get("cache-control"), shown.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "same-origin"
    ])
    const chosen = await choose(browser, link, fresh, { timezone: "America/Lima" })
    expect([chosen.status, chosen.location]).toEqual([303, `${server.url}/today`])
    expect((await browser.get("/account")).form("/account/settings").get("timezone")).toBe("America/Lima")
    expect((await new Browser(server.url).signIn(email, fresh)).status).toBe(303)
  })

  it("may be opened repeatedly, and used once", async () => {
    const { browser, email, link } = await given()
    for (let look = 0; look < 3; look++) expect((await browser.get(link)).status).toBe(200)
    const form = (await browser.get(link)).form(path)
    form.set("password", fresh)
    expect((await browser.post(path, form)).status).toBe(303)
    const stranger = new Browser(server.url)
    expect((await stranger.get(link)).status).toBe(410)
    form.set("password", "the password of a thief")
    const again = await stranger.post(path, form)
    expect([again.status, stranger.cookie]).toEqual([410, undefined])
    expect(again.text).toContain("This link no longer works")
    expect((await new Browser(server.url).signIn(email, fresh)).status).toBe(303)
  })

  it("for a forgotten password signs out every other browser", async () => {
    const { browser: before, email, link, make } = await given()
    await choose(before, link, fresh)
    const [elsewhere, after] = [new Browser(server.url), new Browser(server.url)]
    await elsewhere.signIn(email, fresh)
    await choose(after, await make(), "a newer password")
    const asked = await Promise.all([before, elsewhere, after].map((browser) => browser.get("/account")))
    expect(asked.map(({ status }) => status)).toEqual([303, 303, 200])
  })

  it("stays valid if the chosen password is too short", async () => {
    const { browser, link } = await given()
    const short = await choose(browser, link, "short")
    expect(short.status).toBe(400)
    expect(short.text).toContain("The password must be 8 to 1024 characters long.")
    expect((await choose(browser, link, fresh)).status).toBe(303)
  })

  it("is invalidated by a newer link, and after an hour", async () => {
    const { browser, link, make } = await given()
    const newer = await make()
    expect((await browser.get(link)).status).toBe(410)
    expect((await browser.get(newer)).status).toBe(200)
    server.later(passwordLinkLifetime)
    expect((await browser.get(newer)).status).toBe(410)
  })

  it("cannot be used by another site's form, nor guessed", async () => {
    const { browser, link } = await given()
    const form = (await browser.get(link)).form(path)
    form.set("password", fresh)
    const foreign = await fetch(server.url + path, {
      method: "POST",
      headers: { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" },
      body: form.toString()
    })
    expect(foreign.status).toBe(403)
    for (const other of [`${path}?link=`, path, `${path}?link=${"x".repeat(43)}`, `${link}x`])
      expect((await browser.get(other)).status).toBe(410)
    expect((await browser.get(link)).status).toBe(200)
  })
})
