import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { PasswordLinks, passwordLinkUrl } from "@lists-and-things/domain/caller/PasswordLinks"
import { Effect } from "effect"
import { type Chromium, expectGood, givenChromium, hasChromium, signInOn } from "./Chromium.ts"
import { connecting, Provider, Transcript } from "./Journey.ts"
import { Program } from "./Program.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

const openChromium = givenChromium()

/** The folder for screenshots of the pages, if they are wanted. */
const pictures = process.env["LAT_PICTURES"]
const picture = async (page: Page, name: string, width = 1024): Promise<void> => {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.setViewportSize({ width, height: 768 })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  await page.setViewportSize({ width: 1024, height: 768 })
}

/** A list with every kind of content. */
const holiday = {
  title: "Summer holiday",
  emoji: "⛱️",
  things: [
    { text: "Before we leave", header: true },
    { text: "Book the **night train** to Trieste", completed: true },
    { text: "Pack", tags: ["bags"] },
    { text: "Passports", tabs: 1, note: "Top drawer,\n  left side" },
    { text: "Swimming things", tabs: 1, completed: true },
    { text: "Umbrella", tabs: 2, canceled: true },
    { text: "On the way", header: true },
    { text: "Timetable", type: "bullet", url: "https://trains.example/timetable" },
    { text: "Ask for a *quiet* table, see [the menu](https://menu.example)", type: "number" },
    { text: "for (;;) swim()\n  // all day", type: "none", code: true },
    { text: "A sea breeze is worth a long walk.", type: "none", quote: true },
    { text: "", type: "photo", photos: ["https://photos.example/beach.jpg"] }
  ]
}

describe.skipIf(!hasChromium)("in a browser", () => {
  let server: SignInServer
  let chromium: Chromium
  let client: Server
  let person: { email: string; key: string }
  let callback: string
  /** A URL of another origin than the callback's. */
  let elsewhere: string
  /** The URLs at which the client was called. */
  const called: Array<URL> = []

  const rest = async (path: string, method: string, body: unknown) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${person.key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(await response.text())
    // oxlint-disable-next-line typescript/no-explicit-any -- the contract's answers, taken apart by the test
    return (await response.json()) as any
  }

  beforeAll(async () => {
    server = await startServer({ hasher: quickHasher })
    person = await server.person({ email: "ann@example.com" })
    chromium = await openChromium()
    client = createServer((request, response) => {
      // Browsers also request the site's icon.
      if (request.url?.startsWith("/callback") === true) called.push(new URL(request.url, callback))
      if (request.url?.startsWith("/callback/leading-on") === true)
        return void response.writeHead(302, { location: elsewhere }).end()
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Client</title>Connected")
    })
    await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve))
    const { port } = client.address() as AddressInfo
    callback = `http://127.0.0.1:${port}/callback`
    elsewhere = `http://localhost:${port}/connected`
  })
  afterAll(async () => {
    await chromium.close()
    client.closeAllConnections()
    client.close()
    await server.stop()
  })

  const signIn = (page: Page, given = password) => signInOn(page, person.email, given)

  it("the checks of pages detect injected problems", async () => {
    const { page } = chromium
    await page.setContent(`<html><body><main><h1>x</h1><input><p style="width:2000px">wide</p></main></body></html>`)
    await expect(expectGood(page)).rejects.toThrow(/light/)
    await page.setContent(
      `<html lang="en"><title>x</title><main><h1>x</h1><p style="width:2000px">wide</p></main></html>`
    )
    await expect(expectGood(page)).rejects.toThrow(/320/)
    await page.setContent(
      `<html lang="en"><title>x</title><main><h1 id="a">x</h1><p><span id="a">y</span></p></main></html>`
    )
    await expect(expectGood(page)).rejects.toThrow(/light/)
  })

  it("a person signs in by keyboard alone", async () => {
    const { page } = chromium
    await page.goto(`${server.url}/account`)
    expect(page.url()).toBe(`${server.url}/sign-in?next=%2Faccount`)
    await expectGood(page)
    await picture(page, "sign-in", 360)
    await signIn(page, "wrong password")
    expect(await page.getByRole("alert").textContent()).toBe("The email or password is wrong.")
    expect(await page.getByLabel("Email").inputValue()).toBe(person.email)
    await expectGood(page)

    const focused: Array<string | null> = []
    for (let at = 0; at < 4; at++) {
      await page.keyboard.press("Tab")
      focused.push((await page.evaluate("document.activeElement.id || document.activeElement.textContent")) as string)
    }
    expect(focused).toStrictEqual(["email", "password", "timezone", "Sign in"])
    await page.getByLabel("Password").focus()
    await page.keyboard.type(password)
    await page.keyboard.press("Enter")
    await page.waitForURL(`${server.url}/account`)
    await expectGood(page)
  })

  it("a person without a password chooses one by their link", async () => {
    const { page } = chromium
    const link = await server.run(
      Effect.gen(function* () {
        const { id } = yield* (yield* Accounts).create({ email: "new@example.com" })
        const { secret } = yield* (yield* PasswordLinks).create(id)
        return passwordLinkUrl(server.url, secret)
      })
    )
    await page.context().clearCookies()
    await page.goto(link)
    await expectGood(page)
    await picture(page, "welcome", 360)
    expect(await page.getByLabel("Email").inputValue()).toBe("new@example.com")
    await page.getByLabel("Password").fill("a good first password")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${server.url}/today`)
    await page.goto(link)
    expect(await page.getByRole("heading").textContent()).toBe("This link no longer works")
    await expectGood(page)
    await page.context().clearCookies()
    await page.goto(`${server.url}/account`)
    await signIn(page)
    await page.waitForURL(`${server.url}/account`)
  })

  it("settings are saved, and an invalid one is reported", async () => {
    const { page } = chromium
    await page.goto(`${server.url}/account`)
    await page.getByLabel(/^Time zone/).selectOption("Europe/Lisbon")
    await page.getByLabel("Type of new things").selectOption("bullet")
    await page.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => page.getByRole("status").textContent()).toBe("Your settings are saved.")
    expect(await page.getByLabel(/^Time zone/).inputValue()).toBe("Europe/Lisbon")
    expect(await page.getByLabel("Type of new things").inputValue()).toBe("bullet")
    await page.evaluate(`document.querySelector("#timezone option[selected]").value = "Atlantis"`)
    await page.getByRole("button", { name: "Save" }).click()
    expect(await page.getByRole("alert").textContent()).toMatch(/time.?zone/i)
    expect(await page.getByLabel(/^Time zone/).inputValue()).toBe("Atlantis")
    await expectGood(page)
    await page.getByLabel(/^Time zone/).selectOption("Europe/Vienna")
    await page.getByLabel("Type of new things").selectOption("todo")
    await page.getByRole("button", { name: "Save" }).click()
  })

  it("a key is created, shown once, copied and revoked", async () => {
    const { page } = chromium
    const program = new Program(server.url)
    await page.goto(`${server.url}/account`)
    await page.getByLabel("Name of the new key").fill(`Phone "<b>"`)
    await page.getByRole("checkbox", { name: "Create, change and delete your lists write:lists" }).uncheck()
    await page.getByRole("button", { name: "Create key" }).click()
    const key = ((await page.getByRole("status").locator("pre").textContent()) ?? "").trim()
    expect((await program.rest(key)).status).toBe(200)
    await chromium.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.getByRole("button", { name: "Copy", exact: true }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key)
    await expectGood(page)
    await picture(page, "account")
    await page.goto(`${server.url}/account`)
    expect(await page.content()).not.toContain(key)
    const row = page.getByRole("listitem").filter({ hasText: `Phone "<b>"` })
    expect(await row.textContent()).toMatch(/See your lists · See your things.* · .* · Search your lists and things/s)
    expect(await row.textContent()).not.toContain("Create, change and delete your lists")
    await row.getByLabel(`Revoke key Phone "<b>"`).click()
    await row.getByRole("button", { name: "Yes, revoke it" }).click()
    await expect.poll(() => page.getByRole("status").textContent()).toContain("The key is revoked")
    expect((await program.rest(key)).status).toBe(401)
  })

  it("a client gets the selected scopes, gets another one when it asks, and is disconnected", async () => {
    const { page } = chromium
    const [provider, transcript] = [new Provider(callback), new Transcript()]
    const stranger = connecting("@modelcontextprotocol/client", server.url, provider, transcript)
    await expect(stranger.session).rejects.toThrow()
    await page.goto(String(provider.wanted))
    expect(await page.getByRole("heading").first().textContent()).toContain("Example assistant")
    expect(await page.getByRole("main").textContent()).toContain(new URL(callback).host)
    await expectGood(page)
    await picture(page, "consent", 600)
    await page.getByRole("checkbox", { name: /Search your lists/ }).uncheck()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.waitForURL(`${callback}**`)
    await stranger.finish(called.at(-1)!)
    expect(provider.kept.scope).toBe("read:lists read:things")

    const known = connecting("@modelcontextprotocol/client", server.url, provider, transcript)
    const session = await known.session
    await expect(session.call("search", { query: "x" })).rejects.toThrow()
    await page.goto(String(provider.wanted))
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(3)
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.waitForURL(`${callback}**`)
    await known.finish(called.at(-1)!)
    expect(await session.call("search", { query: "x" })).toMatchObject({ results: [] })

    await page.goto(`${server.url}/account`)
    await page.getByLabel("Disconnect Example assistant").click()
    await page.getByRole("button", { name: "Yes, disconnect it" }).click()
    await expect.poll(() => page.getByRole("status").textContent()).toBe("The program is disconnected.")
    await expect(session.call("search", { query: "x" })).rejects.toThrow()
    await session.close()
  })

  it("a client may redirect the browser to another site", async () => {
    const { page } = chromium
    const program = new Program(server.url)
    const leadingOn = `${callback}/leading-on`
    const clientId = await program.registered([leadingOn])
    for (const answer of ["Allow", "Do not allow"]) {
      await page.goto(server.url + program.authorizePath(clientId, "v", { redirect_uri: leadingOn }))
      await page.getByRole("button", { name: answer, exact: true }).click()
      await page.waitForURL(elsewhere)
    }
  })

  it("a client at an IPv6 address is answered, and a refused client gets access_denied", async () => {
    const { page } = chromium
    const program = new Program(server.url)
    const clientId = await program.registered(["http://[::1]/callback", callback])
    await page.goto(server.url + program.authorizePath(clientId, "v", { redirect_uri: callback }))
    await page.getByRole("button", { name: "Do not allow" }).click()
    await page.waitForURL(`${callback}**`)
    expect(called.at(-1)?.searchParams.get("error")).toBe("access_denied")
    // In another page, since nothing answers at this address.
    const other = await chromium.context.newPage()
    await other.goto(server.url + program.authorizePath(clientId, "v", { redirect_uri: "http://[::1]:9/callback" }))
    const asked = other.waitForRequest((request) => request.url().startsWith("http://[::1]:9/callback?code="))
    await other.getByRole("button", { name: "Allow", exact: true }).click({ noWaitAfter: true })
    await asked
    await other.close()
    await page.goto(`${server.url}/oauth/authorize?client_id=x`)
    expect(await page.getByRole("heading").textContent()).toBe("This program cannot sign in")
    await expectGood(page)
  })

  it("a list and a thing are shown with nesting, reminders, links, code and notes", async () => {
    const { page } = chromium
    const { list } = await rest("/lists", "POST", holiday)
    const { things } = (await (
      await fetch(`${server.url}/api/v1/lists/${list.id}`, { headers: { authorization: `Bearer ${person.key}` } })
    ).json()) as { things: ReadonlyArray<{ id: string; text: string }> }
    const pack = things.find(({ text }) => text === "Pack")?.id ?? ""
    await rest(`/things/${pack}/reminder`, "PUT", { at: "2030-06-01T18:00", repeat: "none" })
    chromium.complaints.length = 0
    await page.goto(`${server.url}/lists/${list.id}`)
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("⛱️ Summer holiday")
    const umbrella = page.getByRole("list").getByRole("list").getByRole("list").getByRole("listitem")
    expect(await umbrella.getByRole("checkbox", { name: "Umbrella" }).getAttribute("aria-checked")).toBe("mixed")
    expect(await page.locator(".when", { hasText: "Reminder:" }).textContent()).toMatch(/2030/)
    expect(await page.getByRole("link", { name: "Timetable", exact: true }).getAttribute("href")).toBe(
      "https://trains.example/timetable"
    )
    expect(await page.locator("pre", { hasText: "swim()" }).textContent()).toBe("for (;;) swim()\n  // all day")
    await expectGood(page)
    await picture(page, "list", 720)
    await rest("/things", "POST", { list_id: list.id, text: "Donaudampfschifffahrt".repeat(12) })
    await page.reload()
    await expectGood(page)
    await page.getByText("Note", { exact: true }).click()
    expect(await page.locator("details pre").textContent()).toBe("Top drawer,\n  left side")

    await page.goto(`${server.url}/things/${pack}`)
    await expectGood(page)
    await picture(page, "thing", 360)
    await page.getByRole("link", { name: "⛱️ Summer holiday" }).click()
    await page.waitForURL(`${server.url}/lists/${list.id}#t-${pack}`)
    await page.goto(`${server.url}/lists/unknown`)
    expect(await page.getByRole("heading").textContent()).toBe("Not found")
    await expectGood(page)
    expect(chromium.complaints.filter((text) => !text.includes("404"))).toStrictEqual([])
  })

  it("sign-in, keys and sign-out work without JavaScript", async () => {
    const plain = await openChromium({ javaScriptEnabled: false })
    const { page } = plain
    await page.goto(`${server.url}/account`)
    await signIn(page)
    await page.getByLabel("Name of the new key").fill("Without scripts")
    await page.getByRole("button", { name: "Create key" }).click()
    expect(await page.getByRole("status").locator("pre").textContent()).toMatch(/^\s*lat_/)
    await page.getByLabel("Revoke key Without scripts").click()
    await page.getByRole("button", { name: "Yes, revoke it" }).last().click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${server.url}/sign-in`)
    await page.goto(`${server.url}/account`)
    expect(page.url()).toContain("/sign-in")
    await plain.close()
  })

  it("all access is ended after a confirmation", async () => {
    const { page } = chromium
    await page.goto(`${server.url}/account#access`)
    const sure = page.getByRole("button", { name: "Yes, end all access" })
    expect(await sure.isVisible()).toBe(false)
    await page.getByLabel("End all access to your account").focus()
    await page.keyboard.press("Enter")
    await expectGood(page)
    await picture(page, "end-access", 360)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${server.url}/sign-in?ended`)
    await expect.poll(() => page.getByRole("status").textContent()).toContain("All access has ended")
    await expectGood(page)
    expect((await new Program(server.url).rest(person.key)).status).toBe(401)
    await signIn(page)
    await page.waitForURL(`${server.url}/today`)
  })
})
