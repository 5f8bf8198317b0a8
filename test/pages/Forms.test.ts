import { describe, expect, it, vi } from "@effect/vitest"
import { Browser } from "../signin/Browser.ts"
import { password } from "../signin/SignInServer.ts"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()
const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

const sendParts = (browser: Browser, body: string | Uint8Array<ArrayBuffer>, boundary = "b") =>
  fetch(`${server().url}/lists/import`, {
    method: "POST",
    body,
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      cookie: browser.cookie!,
      origin: server().url
    }
  })

describe("forms", () => {
  it("change nothing without the session's token, from another site, or without a session", async () => {
    const { browser, rest } = await signedIn(server())
    const other = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Mine" })
    const { thing } = await rest("POST", "/things", { list_id: list.id, text: "Milk" })
    const before = await rest("GET", "/operations")
    const csrf = (await browser.get("/lists")).form("/lists/new").get("csrf") ?? ""
    const foreign = (await other.browser.get("/lists")).form("/lists/new").get("csrf") ?? ""
    const [l, t] = [`/lists/${list.id}`, `/things/${thing.id}`]
    const paths = ["/lists/new", "/lists/import", "/lists/star", `${l}/edit`, `${l}/archive`, `${l}/delete`, `${l}/add`]
    const others = ["/things/tick", `${t}/state`, `${t}/edit`, `${t}/move`, `${t}/reminder`, `${t}/reminder/remove`]
    const accounts = [`${t}/delete`, "/days/2030-01-01/add", "/account/zone", "/sign-in/password"]
    const fields = { title: "x", markdown: "x", text: "x", complete: thing.id, state: "canceled", day: "2030-01-01" }
    for (const path of [...paths, ...others, ...accounts]) {
      const post = async (sent: Record<string, string>, headers: Record<string, string> = {}) =>
        (await browser.post(path, { ...fields, ...sent }, headers)).status
      expect([path, await post({})]).toStrictEqual([path, 403])
      expect([path, await post({ csrf: foreign })]).toStrictEqual([path, 403])
      expect([path, await post({ csrf }, { origin: "https://evil.example" })]).toStrictEqual([path, 403])
      expect([path, await post({ csrf }, { "sec-fetch-site": "cross-site" })]).toStrictEqual([path, 403])
      const stranger = await new Browser(server().url).post(path, { complete: thing.id, csrf })
      expect([path, stranger.location]).toStrictEqual([
        path,
        `${server().url}/sign-in?next=${encodeURIComponent(path)}&unsent`
      ])
      expect([path, (await browser.get(path)).status]).toStrictEqual([path, 303])
    }
    expect(await rest("GET", "/operations")).toStrictEqual(before)
  })

  it("show what was typed to a person who was signed out meanwhile, but nothing that another site sent", async () => {
    const { browser, rest, send } = await signedIn(server())
    const before = await rest("GET", "/operations")
    const form = (await browser.get("/days/2030-01-01")).form("/days/2030-01-01/add")
    form.set("markdown", "</textarea><b>Milk\nand bread")
    await send("/account", "/sign-out")
    const answer = await browser.post("/days/2030-01-01/add", form)
    expect(answer.status).toBe(401)
    expect(answer.text).toContain("Nothing was saved")
    expect(answer.text).toMatch(
      /<textarea id="markdown" readonly>\n&#60;\/textarea&#62;&#60;b&#62;Milk\nand bread<\/textarea>/
    )
    expect(answer.text).toContain("/sign-in?next=%2Fdays%2F2030-01-01")
    const foreign = await browser.post("/days/2030-01-01/add", form, { "sec-fetch-site": "cross-site" })
    expect([foreign.status, foreign.text]).toStrictEqual([303, ""])
    const password = await browser.post("/sign-in/password", { current: "old secret", fresh: "new secret" })
    expect([password.status, password.text]).toStrictEqual([303, ""])
    expect(await rest("GET", "/operations")).toStrictEqual(before)
  })

  it("tell a person who was signed out meanwhile that nothing was changed, and lead back to the page", async () => {
    const { browser, send } = await signedIn(server())
    await send("/account", "/sign-out")
    const passwords = { current: "old secret", fresh: "new secret" }
    const answers: ReadonlyArray<readonly [path: string, fields: Record<string, string>, back: string]> = [
      ["/sign-in/password", passwords, "/sign-in/password"],
      ["/account/access/end", {}, "/account/access/end"],
      ["/things/tick", { complete: "x", back: "/days/2030-01-01" }, "/days/2030-01-01"]
    ]
    for (const [path, fields, back] of answers) {
      const { location = "" } = await browser.post(path, fields)
      expect(new URL(location).searchParams.get("next")).toBe(back)
      const shown = await browser.get(location)
      expect(shown.text).toContain("Nothing was changed, because you were signed out.")
      expect(shown.text).not.toContain("secret")
    }
    const typed = await browser.post("/account/keys", { name: "Backup" })
    expect(typed.text).toContain("/sign-in?next=%2Faccount%2Fkeys")
    expect((await browser.get("/sign-in?next=%2Faccount")).text).not.toContain("Nothing was changed")
    const again = await browser.post("/sign-out", {})
    expect([again.status, again.location]).toStrictEqual([303, `${server().url}/sign-in`])
  })

  it("show what was typed when they are refused, and lead back to their page", async () => {
    const { browser, rest } = await signedIn(server())
    const before = await rest("GET", "/operations")
    const form = (await browser.get("/days/2030-01-01")).form("/days/2030-01-01/add")
    form.set("markdown", "<b>Milk\nand bread")
    const typed = /<textarea id="markdown" readonly>\n&#60;b&#62;Milk\nand bread<\/textarea>/
    form.set("csrf", "of a session before")
    const old = await browser.post("/days/2030-01-01/add", form)
    expect([old.status, typed.test(old.text), old.text.includes('href="/days/2030-01-01"')]).toStrictEqual([
      403,
      true,
      true
    ])
    const foreign = await browser.post("/days/2030-01-01/add", form, { "sec-fetch-site": "cross-site" })
    expect([foreign.status, typed.test(foreign.text)]).toStrictEqual([403, false])
    const list = (await browser.get("/lists")).form("/lists/new")
    list.set("title", "x".repeat(10_000))
    const long = await browser.post("/lists/new", list)
    expect([long.status, long.text.includes("x".repeat(10_000))]).toStrictEqual([400, true])
    form.set("csrf", list.get("csrf") ?? "")
    form.set("markdown", "x".repeat(10_001))
    const line = await browser.post("/days/2030-01-01/add", form)
    expect(line.text).toMatch(
      /<p role="alert">Lines cannot be added: item 1, [^<]* has a text of more than 10,000 characters</
    )
    const secret = await browser.post("/sign-in/password", { current: "old secret", fresh: "new secret" })
    expect([secret.status, secret.text.includes("secret")]).toStrictEqual([403, false])
    expect(await rest("GET", "/operations")).toStrictEqual(before)
    expect((await browser.get("/today")).text).toMatch(/\/add" enctype="multipart\/form-data"/)
  })

  it("lead back to a page of this site alone", async () => {
    const { browser, rest } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Milk" })
    const csrf = (await browser.get("/lists")).form("/lists/new").get("csrf") ?? ""
    for (const back of ["https://evil.example", "//evil.example", "/\\evil.example", "/.//evil.example", "x", ""]) {
      const { location } = await browser.post("/things/tick", { csrf, complete: thing.id, back })
      expect([back, new URL(location ?? "").origin]).toStrictEqual([back, server().url])
    }
  })

  it("as multipart are refused when they are malformed or hold too many fields", async () => {
    const { browser } = await signedIn(server())
    const post = (body: string, boundary?: string) => sendParts(browser, body, boundary)
    const field = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nx\r\n`
    expect((await post("nonsense")).status).toBe(400)
    expect((await post(`${field("a")}`)).status).toBe(400)
    const many = `${Array.from({ length: 101 }, (_, n) => field(`f${n}`)).join("")}--b--\r\n`
    const refused = await post(many)
    expect([refused.status, await refused.text()]).toStrictEqual([400, expect.stringContaining("at most 100 fields")])
    expect((await post(`${field("csrf")}--b--\r\n`)).status).toBe(403)
    expect((await post(`${field("csrf")}--b--\r\n`, '"b"')).status).toBe(403)
    const max = `${Array.from({ length: 100 }, (_, n) => field(`f${n}`)).join("")}--b--\r\n`
    expect((await post(max)).status).toBe(403)
  })

  it("accept typed text unchanged, also U+FFFD, and refuse invalid UTF-8", async () => {
    const { browser, rest } = await signedIn(server())
    const csrf = (await browser.get("/lists")).form("/lists/new").get("csrf") ?? ""
    const damaged = "Caf\ufffd"
    await browser.post("/lists/new", { csrf, title: damaged })
    const part = (name: string, text: string) =>
      `--bound\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
    const parts = (text: string) =>
      `${part("csrf", csrf)}${part("title", text)}${part("markdown", "- Milk")}--bound--\r\n`
    expect((await sendParts(browser, Buffer.from(parts(`${damaged} 2`)), "bound")).status).toBe(200)
    const titles = async () => (await rest("GET", "/lists")).lists.map((list: { title: string }) => list.title)
    expect(await titles()).toStrictEqual([`${damaged} 2`, damaged])
    const refused = [400, expect.stringContaining("must be valid UTF-8")]
    const inParts = await sendParts(browser, Buffer.from(parts("Caf\u00e9"), "latin1"), "bound")
    expect([inParts.status, await inParts.text()]).toStrictEqual(refused)
    for (const title of ["Caf%E9", "%ff", "%ed%a0%80", "%e2%82", "Caf\u00e9", "a%00"]) {
      const answer = await fetch(`${server().url}/lists/new`, {
        method: "POST",
        body: Buffer.from(`csrf=${csrf}&title=${title}`, "latin1"),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          cookie: browser.cookie!,
          origin: server().url
        }
      })
      expect([title, answer.status, await answer.text()]).toStrictEqual([title, ...refused])
    }
    expect(await titles()).toStrictEqual([`${damaged} 2`, damaged])
  })

  it("as multipart are refused before they are parsed if that would take long", async () => {
    const { browser } = await signedIn(server())
    const post = async (body: string, boundary?: string) => {
      const answer = await sendParts(browser, body, boundary)
      return [answer.status, await answer.text()]
    }
    const malformed = [400, expect.stringContaining("must be well-formed multipart/form-data")]
    const headed = (headers: string) => `--b\r\ncontent-disposition: form-data; name="a"${headers}\r\n\r\nx\r\n`
    expect((await post(`${headed("\r\na: b".repeat(1_000))}--b--\r\n`))[0]).toBe(403)
    expect(await post(`${headed("\r\na: b".repeat(2_000))}--b--\r\n`)).toStrictEqual(malformed)
    expect(await post(headed("") + headed("\r\na: b".repeat(2_000)))).toStrictEqual(malformed)
    const longest = "b".repeat(70)
    const within = (boundary: string) => `${headed("").replaceAll("--b", `--${boundary}`)}--${boundary}--\r\n`
    expect((await post(within(longest), longest))[0]).toBe(403)
    expect(await post(within(`${longest}b`), `${longest}b`)).toStrictEqual(malformed)
    const empty = "--b\r\ncontent-disposition: form-data; name=a; filename=b\r\n\r\n\r\n"
    const parsing = vi.spyOn(Response.prototype, "formData")
    expect(await post(empty.repeat(1_000))).toStrictEqual([400, expect.stringContaining("at most 100 fields")])
    expect(parsing).not.toHaveBeenCalled()
    parsing.mockRestore()
  })
})

describe("the account", () => {
  it("gets a new password for the current one: this browser stays, others are signed out", async () => {
    const { browser, email, send } = await signedIn(server())
    const elsewhere = new Browser(server().url)
    await elsewhere.signIn(email, password)
    const form = (await browser.get("/account")).form("/sign-in/password")
    const change = (current: string, fresh: string) => {
      form.set("current", current)
      form.set("fresh", fresh)
      return browser.post("/sign-in/password", form)
    }
    const wrong = await change("wrong", "another good password")
    expect([wrong.status, wrong.text]).toStrictEqual([403, expect.stringContaining("The current password is wrong.")])
    expect(wrong.text).toContain('action="/sign-in/password"')
    expect(wrong.text).toMatch(/id="current"[^>]* aria-describedby="wrong" \/><span[^>]* id="wrong">The current/)
    const short = await change(password, "short")
    expect(short.status).toBe(400)
    expect(short.text).toMatch(/id="fresh"[^>]* aria-describedby="fresh-hint wrong" \/>.*id="wrong">The new password/)
    expect((await elsewhere.get("/account")).status).toBe(200)
    const changed = await change(password, "another good password")
    expect(changed.location).toBe(`${server().url}/account?password`)
    expect((await browser.get(changed.location!)).text).toContain("Your password is changed.")
    expect((await elsewhere.get("/account")).status).toBe(303)
    expect((await new Browser(server().url).signIn(email, password)).status).toBe(401)
    expect((await new Browser(server().url).signIn(email, "another good password")).status).toBe(303)
    await send("/account", "/account/zone", { timezone: "Asia/Tokyo" })
    expect((await browser.get("/account")).text).toContain("<option selected>Asia/Tokyo</option>")
    const zoned = await send("/account", "/account/zone", { timezone: "Asia/Seoul" })
    expect(zoned.page.text).toContain('<p class="notice" role="status">Your settings are saved.')
  })

  it("limits guesses of the current password", async () => {
    const { browser, email } = await signedIn(server())
    const form = (await browser.get("/account")).form("/sign-in/password")
    form.set("fresh", "another good password")
    const statuses: Array<number> = []
    for (let guess = 0; guess < 12; guess++) {
      form.set("current", `guess ${guess}`)
      statuses.push((await browser.post("/sign-in/password", form)).status)
    }
    expect(statuses.slice(0, 9)).toStrictEqual(Array.from({ length: 9 }, () => 403))
    expect(statuses.at(-1)).toBe(429)
    const over = await browser.post("/sign-in/password", form)
    expect([over.status, Number(over.headers.get("retry-after")) > 0]).toStrictEqual([429, true])
    expect((await browser.signIn(email, password)).status).toBe(429)
  })

  it("takes the zone of the browser at the sign-in, if it is ticked and known", async () => {
    const { email } = await signedIn(server())
    const zoneAfter = async (timezone: string) => {
      const browser = new Browser(server().url)
      const answer = await browser.post("/sign-in", { email, password, next: "/account", timezone })
      expect(answer.status).toBe(303)
      return (await browser.get("/account")).form("/account/settings").get("timezone")
    }
    expect(await zoneAfter("America/Lima")).toBe("America/Lima")
    expect(await zoneAfter("Atlantis/Middle")).toBe("America/Lima")
  })

  it("shows the form again for a key without scopes, with its name", async () => {
    const { browser } = await signedIn(server())
    const form = (await browser.get("/account")).form("/account/keys")
    form.set("name", "For the script")
    form.delete("scope")
    const refused = await browser.post("/account/keys", form)
    expect([refused.status, refused.text]).toStrictEqual([400, expect.stringContaining('value="For the script"')])
    expect(refused.text).toContain("Choose at least one thing that the key may do.")
    expect(refused.text).not.toMatch(/name="scope" value="[^"]*" checked/)
  })

  it("shows a new key once, and a reload makes no other", async () => {
    const { browser } = await signedIn(server())
    const made = await browser.post("/account/keys", (await browser.get("/account")).form("/account/keys"))
    expect([made.status, made.text]).toStrictEqual([303, ""])
    const key = /lat_\w{12}_\w{49}/
    const shown = await browser.get(made.location!)
    expect(shown.text).toMatch(key)
    expect(shown.headers.getSetCookie().join()).toMatch(
      /^lat_shown=; Max-Age=0; Path=\/account; HttpOnly; SameSite=Strict/
    )
    const again = await browser.get("/account")
    expect(again.text).not.toMatch(key)
    expect(again.text.match(/Revoke key/g)).toHaveLength(2)
    const stranger = await signedIn(server())
    browser.shown = `lat_shown=${stranger.key}`
    expect((await browser.get("/account")).text).not.toContain(stranger.key)
  })

  it("is shown without a notice if its address asks for none that there is", async () => {
    const { browser } = await signedIn(server())
    const names = ["constructor", "toString&moved=3", "__proto__"]
    for (const path of ["/account", "/account/webhooks"].flatMap((page) => names.map((name) => `${page}?${name}`))) {
      const { status, text } = await browser.get(path)
      expect([path, status, text.includes('<p class="notice"')]).toStrictEqual([path, 200, false])
    }
  })

  it("are refused in the words of their labels, to screen readers as well", async () => {
    const { browser, rest } = await signedIn(server())
    const { thing } = await rest("POST", "/things", { text: "Milk" })
    const edit = (await browser.get(`/things/${thing.id}`)).form(`/things/${thing.id}/edit`)
    edit.set("type", "poem")
    expect((await browser.post(`/things/${thing.id}/edit`, edit)).text).toMatch(/role="alert">Type must be /)
    const zone = (await browser.get("/today")).form("/account/zone")
    zone.set("timezone", "Atlantis")
    const refused = await browser.post("/account/zone", zone)
    expect(refused.status).toBe(400)
    expect(refused.text).toMatch(/<p role="alert">Time zone must be /)
    zone.set("csrf", "old")
    expect((await browser.post("/account/zone", zone)).text).toContain('<p role="alert">This form is too old')
    expect((await browser.get("/nowhere")).text).not.toContain('role="alert"')
  })
})

describe("errors", () => {
  it("are pages for browsers and JSON for everybody else", async () => {
    const browser = new Browser(server().url)
    for (const [path, status] of [
      ["/nowhere", 404],
      ["/%zz", 404],
      ["/reminders.ics?token=x", 404]
    ] as const) {
      const page = await browser.get(path, asBrowser)
      expect([path, page.status, page.headers.get("content-type")]).toStrictEqual([
        path,
        status,
        "text/html; charset=utf-8"
      ])
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
      const plain = await browser.get(path)
      expect([path, plain.status, plain.headers.get("content-type")]).toStrictEqual([path, status, "application/json"])
    }
    const post = await fetch(`${server().url}/today`, { method: "DELETE", headers: asBrowser })
    expect([post.status, post.headers.get("allow"), await post.text()]).toStrictEqual([
      405,
      "GET, HEAD, OPTIONS",
      expect.stringContaining("<h1>This page takes no such request</h1>")
    ])
    for (const path of ["/api/v1/nowhere", "/mcp", "/oauth/nowhere", "/.well-known/nowhere"]) {
      const answer = await browser.get(path, asBrowser)
      expect([path, answer.headers.get("content-type")?.startsWith("application/json")]).toStrictEqual([path, true])
    }
  })
})
