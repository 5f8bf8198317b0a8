import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { isRedirectUri } from "@lists-and-things/domain/signin/RedirectUri"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { Program } from "./Program.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

let server: SignInServer
let program: Program
beforeAll(async () => {
  server = await startServer({ hasher: quickHasher })
  program = new Program(server.url)
})
afterAll(() => server.stop())

const entered = async () => {
  const person = await server.person()
  const browser = new Browser(server.url)
  await browser.signIn(person.email, password)
  return { ...person, browser }
}

describe("a client's name", () => {
  it("is shown only as escaped text", async () => {
    const { browser, email } = await entered()
    const name = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\u202egnp.exe\r\nSet-Cookie: a=b`
    const clientId = await program.registered(undefined, name)
    const seen = await browser.get(program.authorizePath(clientId, "v"))
    expect(seen.text).not.toMatch(/<script|<img src=x|\u202e/)
    expect(seen.text).toContain("&#60;script&#62;alert(1)")
    await program.token(await program.code(browser, email, clientId))
    const account = await browser.get("/account")
    expect(account.text).toContain("&#60;script&#62;alert(1)")
    expect(account.text).not.toMatch(/<script(?! src="\/(?:app|zone)\.js)|<img src=x|\u202e/)
    expect(account.text).not.toMatch(/="[^"]*<script/)
  })

  it("without visible characters is shown as missing", async () => {
    const { browser } = await entered()
    for (const name of [" \u202e\u0007\n ", "\u200b\u2060", "\u3164", "\u2800\u00ad", "\u{e0041}"]) {
      const clientId = await program.registered(undefined, name)
      expect((await browser.get(program.authorizePath(clientId, "v"))).text).toContain("An unnamed program")
    }
  })
})

describe("a redirect address", () => {
  it.each([
    ...["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:https://a/b"],
    ...["vbscript:x", "about:blank", "view-source:https://a.example", "ftp://a.example/x", "ws://a.example/x"],
    ...["mailto:a@b.example", "intent://x#Intent;end", "chrome://settings", "filesystem:https://a.example/t/x"],
    ...["http://a.example/cb", "http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb"],
    ...["http://localhost@evil.example/cb", "http://0.0.0.0/cb", "http://192.168.1.1/cb", "http://localhost./cb"],
    ...["https://a.example/cb#fragment", "https://a.example/cb#", "cursor://x#y", "https://user:pass@a.example/cb"],
    ...["https://user@a.example/cb", "https://:pass@a.example/cb", "cursor://user@x/cb"],
    ...["https://a.example/c b", "https://a.example/\ncb", " https://a.example/cb", "https://a.example\\@evil.example"],
    ...[
      "https://a.example/ü",
      "https://ü.example/cb",
      "https://a;script-src/",
      "https://*.example/cb",
      "https://'self'/x"
    ],
    ...["//a.example/cb", "/cb", "cb", "", "https://", `https://a.example/${"x".repeat(2_000)}`],
    // Browsers interpret these as other addresses.
    ...["https:evil", "https:/evil", "https:///evil", "https:\\\\evil", "https:/\\evil", "HTTPS://a.example/cb"],
    ...["https://A.example/cb", "https://a.example:443/cb", "https://a.example:/cb", "https://@a.example/cb"],
    ...["https://a.example/x/../cb", "https://a.example/%2e%2e/cb", 'https://a.example/"', "https://1/cb"],
    ...["http:localhost/cb", "http:/localhost/cb", "http://127.1/cb", "http://0x7f.0.0.1/cb", "http://LOCALHOST/cb"],
    ...["http://[0:0:0:0:0:0:0:1]/cb", "com.example.app:cb", "urn:ietf:wg:oauth:2.0:oob", "Cursor://x/cb"]
  ])("cannot be %j", (uri) => expect(isRedirectUri(uri)).toBe(false))

  it.each([
    ...["https://a.example/cb", "https://a.example", "https://a.example?x=1", "https://a.example:8443/cb?x=1"],
    ...["https://a.example/%C3%BC?x=%2F", "https://[2606:4700::1]/cb", "http://localhost/cb", "http://127.0.0.1:4711/"],
    ...["http://[::1]:1/cb", "cursor://anysphere.cursor-mcp/oauth/callback", "com.example.app:/cb", "vscode://x/y"]
  ])("can be %j", (uri) => expect(isRedirectUri(uri)).toBe(true))

  it("is refused with its own code at registration", async () => {
    const uris = ["javascript:alert(1)", "http://a.example/cb", "https://a.example/cb#x", "data:,x"]
    for (const uri of uris) {
      const { body, status } = await program.register({ redirect_uris: ["https://a.example/cb", uri] })
      expect([uri, status, body.error]).toStrictEqual([uri, 400, "invalid_redirect_uri"])
      expect(JSON.stringify(body)).not.toContain(uri)
    }
  })

  it("on this machine may differ from the registered one only in its port", async () => {
    const { browser } = await entered()
    const clientId = await program.registered(["http://127.0.0.1/cb", "http://[::1]:7/cb?a=1", "https://a.example/cb"])
    const status = async (redirect_uri: string) =>
      (await browser.get(program.authorizePath(clientId, "v", { redirect_uri }))).status
    expect(await status("http://127.0.0.1:65535/cb")).toBe(200)
    expect(await status("http://[::1]:8/cb?a=1")).toBe(200)
    expect(await status("http://[::1]/cb?a=2")).toBe(400)
    expect(await status("http://127.0.0.1:1/cb/../cb")).toBe(400)
    expect(await status("http://127.0.0.1:1/CB")).toBe(400)
    expect(await status("http://127.0.0.1:65536/cb")).toBe(400)
    expect(await status("http://127.0.0.1:080/cb")).toBe(400)
    expect(await status("https://127.0.0.1/cb")).toBe(400)
    expect(await status("https://a.example:444/cb")).toBe(400)
    expect(await status("https://a.example/cb?x")).toBe(400)
    expect(await status("javascript:alert(1)")).toBe(400)
  })
})

describe("forms of other sites", () => {
  it("change nothing if the CSRF token is missing or another person's, or the origin is foreign", async () => {
    const { browser } = await entered()
    const { browser: other } = await entered()
    const form = (await browser.get("/account")).form("/account/keys")
    const foreign = (await other.get("/account")).form("/account/keys").get("csrf") ?? ""
    const keys = async () => (await browser.get("/account")).text.match(/Revoke key/g)?.length
    expect(await keys()).toBe(1)
    const post = async (change: Record<string, string>, headers: Record<string, string> = {}) => {
      const fields = new URLSearchParams(form)
      for (const [name, value] of Object.entries(change)) fields.set(name, value)
      return (await browser.post("/account/keys", fields, headers)).status
    }
    expect(await post({ csrf: "" })).toBe(403)
    expect(await post({ csrf: foreign })).toBe(403)
    expect(await post({}, { origin: "https://evil.example" })).toBe(403)
    expect(await post({}, { origin: "null" })).toBe(403)
    expect(await post({}, { "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await post({}, { "sec-fetch-site": "same-site" })).toBe(403)
    expect(await keys()).toBe(1)
    expect(await post({})).toBe(303)
    expect(await post({}, { origin: "https://lists.example", "sec-fetch-site": "same-origin" })).toBe(303)
    expect(await keys()).toBe(3)
  })

  it("are refused at every path that changes something", async () => {
    const { browser } = await entered()
    const paths = ["/account/settings", "/account/keys", "/account/keys/revoke", "/account/programs/disconnect"]
    for (const path of [...paths, "/account/feed", "/sign-out", "/oauth/authorize"])
      expect([path, (await browser.post(path, { key: "x" })).status]).toStrictEqual([path, 403])
    const signIn = await new Browser(server.url).post("/sign-in", {}, { origin: "https://evil.example" })
    expect([signIn.status, signIn.headers.get("set-cookie")]).toStrictEqual([403, null])
    const get = await browser.get("/oauth/authorize?decision=allow&allow=search")
    expect(get.status).toBe(400)
  })

  it("cannot be sent as JSON", async () => {
    const { browser } = await entered()
    const response = await fetch(`${server.url}/account/keys`, {
      method: "POST",
      headers: { cookie: browser.cookie ?? "", "content-type": "application/json" },
      body: "{}"
    })
    expect(response.status).toBe(415)
  })
})

describe("pages", () => {
  it("of the interface description may not be framed either, and tell no other site where they are", async () => {
    const { headers } = await new Browser(server.url).get("/docs")
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*; frame-ancestors 'none'$/)
    expect(headers.get("referrer-policy")).toBe("no-referrer")
  })

  it("may not be framed, run no foreign scripts and are not cached", async () => {
    const { browser } = await entered()
    const clientId = await program.registered(["https://a.example/cb"])
    const consent = program.authorizePath(clientId, "v", { redirect_uri: "https://a.example/cb" })
    for (const path of ["/sign-in", "/account", consent, "/lists/unknown", "/oauth/authorize?client_id=x"]) {
      const { headers } = await browser.get(path)
      const policy = headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'")
      expect(policy).toContain("; manifest-src 'self'")
      // A program may redirect the browser anywhere, which a form-action would forbid; this page runs no script.
      expect([path, /script-src|form-action/.test(policy)]).toStrictEqual([path, path !== consent])
      expect([path, policy.endsWith("; form-action 'self'")]).toStrictEqual([path, path !== consent])
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("referrer-policy")).toBe("same-origin")
      expect(headers.get("access-control-allow-origin")).toBeNull()
    }
  })

  it("show texts of things as text, not as markup", async () => {
    const { browser, key } = await entered()
    const made = await fetch(`${server.url}/api/v1/lists`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        title: "<script>alert(1)</script>",
        things: [
          { text: "<img src=x onerror=alert(1)> [x](javascript:alert(1)) `<b>`", note: "</pre><script>x</script>" },
          { text: "\n<i>", code: true, tags: ["<u>"], url: "https://a.example/?a=\"'<" }
        ]
      })
    })
    const { list } = (await made.json()) as { list: { id: string } }
    const { text } = await browser.get(`/lists/${list.id}`)
    expect(text).not.toMatch(
      /<script(?! src="\/app\.js\?v=[\w-]+" defer><\/script>)|<img src=x|<b>|<i>|<u>|href="javascript/i
    )
    expect(text).toContain("&#60;script&#62;")
    expect(text).toMatch(/<pre>\n\n&#60;i&#62;/)
  })

  it("redirect only within the site after sign-in", async () => {
    const { email } = await server.person()
    const to = async (next: string) => (await new Browser(server.url).signIn(email, password, next)).location
    for (const next of [
      ...["https://evil.example", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "evil"],
      ...["javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", " /x", "", "/ü", `/${"x".repeat(8_001)}`]
    ])
      expect([next, await to(next)]).toStrictEqual([next, `${server.url}/today`])
    expect(await to("/lists/1?a=b")).toBe(`${server.url}/lists/1?a=b`)
    expect(new URL((await to("/.//evil.example")) ?? "").host).toBe(new URL(server.url).host)
    const shown = await new Browser(server.url).get("/sign-in?next=https%3A%2F%2Fevil.example")
    expect(shown.form("/sign-in").get("next")).toBe("/today")
  })
})

describe("sessions", () => {
  it("get a new id with every sign-in, which ends the previous one", async () => {
    const { email } = await server.person()
    const browser = new Browser(server.url)
    browser.cookie = "lat_session=chosen-by-somebody-else"
    const first = await browser.signIn(email, password)
    expect(first.headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(/^lat_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^lat_device=[\w-]{36}\.[\w-]{22}\.\d{13}\.[\w-]{43}; Max-Age=31536000; Path=\/sign-in; HttpOnly; SameSite=Strict$/
      )
    ])
    const old = browser.cookie
    expect(old).not.toContain("chosen")
    await browser.signIn(email, password)
    expect(browser.cookie).not.toBe(old)
    expect((await browser.get("/account")).status).toBe(200)
    expect((await browser.get("/account", { cookie: old ?? "" })).status).toBe(303)
    expect((await browser.get("/account", { cookie: "lat_session=chosen-by-somebody-else" })).status).toBe(303)
  })

  it("have cookies that are Secure on https, and bound to this host", async () => {
    const other = await startServer({ hasher: quickHasher, siteUrl: "https://lists.example" })
    const { email } = await other.person()
    const browser = new Browser(other.url)
    const seen = await browser.signIn(email, password)
    expect(seen.headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(/^__Host-lat_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(
        /^__Secure-lat_device=[^;]*; Max-Age=31536000; Path=\/sign-in; HttpOnly; Secure; SameSite=S/
      )
    ])
    expect((await browser.get("/account")).status).toBe(200)
    // A browser accepts this name from any host of the domain.
    const planted = browser.cookie!.replace("__Host-", "")
    expect((await new Browser(other.url).get("/account", { cookie: planted })).status).toBe(303)
    const made = await browser.post("/account/keys", (await browser.get("/account")).form("/account/keys"))
    expect(made.headers.getSetCookie().join()).toMatch(/^__Secure-lat_shown=lat_[^;]*; .*; Secure; SameSite=Strict$/)
    expect((await browser.get("/account")).text).toContain("Revoke key")
    await browser.post("/sign-out", (await browser.get("/account")).form("/sign-out"))
    expect((await browser.get("/account")).status).toBe(303)
    await other.stop()
  })

  it("end on sign-out, on a new password, and after thirty days", async () => {
    const { browser, id, email } = await entered()
    const again = new Browser(server.url)
    await again.signIn(email, password)
    const form = (await browser.get("/account")).form("/sign-out")
    const { cookie } = browser
    expect((await browser.post("/sign-out", form)).headers.get("set-cookie")).toContain("Max-Age=0")
    expect((await browser.get("/account", { cookie: cookie ?? "" })).status).toBe(303)
    expect((await again.get("/account")).status).toBe(200)
    await server.run(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* accounts.setPassword(id, Redacted.make("another good password"))
      })
    )
    expect((await again.get("/account")).status).toBe(303)
    expect((await again.signIn(email, password)).status).toBe(401)
    await again.signIn(email, "another good password")
    server.later(30 * 86_400_000 - 1_000)
    expect((await again.get("/account")).status).toBe(200)
    server.later(1_001)
    expect((await again.get("/account")).status).toBe(303)
  })

  it("cannot revoke keys or disconnect programs of other accounts", async () => {
    const [mine, theirs] = [await entered(), await entered()]
    const clientId = await program.registered()
    const { body } = await program.token(await program.code(theirs.browser, theirs.email, clientId))
    const account = await theirs.browser.get("/account")
    const [key, grant] = [account.form("/account/keys/revoke"), account.form("/account/programs/disconnect")]
    const csrf = (await mine.browser.get("/account")).form("/account/feed").get("csrf") ?? ""
    expect((await mine.browser.post("/account/keys/revoke", { csrf, key: key.get("key") ?? "" })).status).toBe(404)
    await mine.browser.post("/account/programs/disconnect", { csrf, grant: grant.get("grant") ?? "" })
    await mine.browser.post("/account/programs/disconnect", { csrf, grant: "no-id" })
    expect((await program.call(body.access_token, "list_lists")).status).toBe(200)
    expect((await program.call(theirs.key, "list_lists")).status).toBe(200)
    await theirs.browser.post("/account/programs/disconnect", grant)
    expect((await program.call(body.access_token, "list_lists")).status).toBe(401)
    await theirs.browser.post("/account/keys/revoke", key)
    expect((await program.call(theirs.key, "list_lists")).status).toBe(401)
  })
})
