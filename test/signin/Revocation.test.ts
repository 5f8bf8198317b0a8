import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { password } from "./SignInServer.ts"
import { signedIn } from "./SignedIn.ts"

const { server, program, browser, email, tokens } = await signedIn()

const statusOf = async (path: string, token: string) =>
  (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status

const accounts = await server.run(Accounts)

const feedOf = async () => `/reminders.ics?token=${await server.run(accounts.feedToken(email))}`

const opening = async (by: { readonly key: string; readonly access: string; readonly feed: string }) => ({
  key: await statusOf("/api/v1/lists", by.key),
  program: (await program.call(by.access, "list_lists")).status,
  page: (await browser.get("/today")).status,
  feed: (await fetch(`${server.url}${by.feed}`)).status
})

const open = { key: 200, program: 200, page: 200, feed: 200 }
const ended = { key: 401, program: 401, page: 303, feed: 404 }

describe("ending all access to an account", () => {
  it("in the browser ends keys, programs, browsers and the feed, and keeps the password", async () => {
    const { token } = await server.run(
      Effect.flatMap(ApiKeys, (keys) => keys.create({ account: email, scopes: ["read:lists"] }))
    )
    const { access } = await tokens()
    const ways = { key: token, access, feed: await feedOf() }
    expect(await opening(ways)).toStrictEqual(open)
    const elsewhere = new Browser(server.url)
    await elsewhere.signIn(email, password)
    const form = (await elsewhere.get("/account")).form("/account/access/end")
    expect((await elsewhere.post("/account/access/end", { csrf: "x" })).status).toBe(403)
    expect(await opening(ways)).toStrictEqual(open)
    const { location } = await elsewhere.post("/account/access/end", form)
    expect(await opening(ways)).toStrictEqual(ended)
    expect((await elsewhere.get("/account")).status).toBe(303)
    expect((await elsewhere.get(location ?? "")).text).toContain("All access has ended")
    await browser.signIn(email, password)
    const account = (await browser.get("/account")).text
    for (const none of ["You have no API keys.", "No program is connected to your account."])
      expect(account).toContain(none)
  })

  it("in the browser also revokes keys that are created concurrently", async () => {
    const other = await server.person()
    const [thief, owner] = [new Browser(server.url), new Browser(server.url)]
    await thief.signIn(other.email, password)
    await owner.signIn(other.email, password)
    const make = (await thief.get("/account")).form("/account/keys")
    const end = (await owner.get("/account")).form("/account/access/end")
    const making = () => Array.from({ length: 10 }, () => thief.post("/account/keys", make))
    const before = making()
    const [, ...answers] = await Promise.all([owner.post("/account/access/end", end), ...before, ...making()])
    for (const { headers, location, status } of answers) {
      const token = /lat_shown=(lat_[^;]+)/.exec(headers.getSetCookie().join())?.[1]
      if (token === undefined) expect([status, location?.split("?")[0]]).toStrictEqual([303, `${server.url}/sign-in`])
      else expect(await statusOf("/api/v1/lists", token)).toBe(401)
    }
  })

  it("by an operator ends keys, programs, browsers, the password and the feed, of this account only", async () => {
    const { token } = await server.run(Effect.flatMap(ApiKeys, (keys) => keys.create({ account: email })))
    const other = await server.person()
    const { access, clientId, refresh } = await tokens()
    const ways = { key: token, access, feed: await feedOf() }
    expect(await opening(ways)).toStrictEqual(open)

    const { grants, keys } = await server.run(accounts.revokeAccess(email))
    expect({ grants, keys }).toStrictEqual({ grants: 1, keys: 1 })
    expect(await opening(ways)).toStrictEqual(ended)
    expect((await program.refresh(clientId, refresh)).body.error).toBe("invalid_grant")
    const guess = server.run(accounts.signIn(email, Redacted.make(password)).pipe(Effect.flip))
    expect((await guess)._tag).toBe("Unauthorized")
    expect(await server.run(accounts.hasPassword(email))).toBe(false)

    expect(await statusOf("/api/v1/lists", other.key)).toBe(200)
    expect(await server.run(accounts.revokeAccess(email))).toMatchObject({ grants: 0, keys: 0 })
    await server.run(accounts.setPassword(email, Redacted.make("a new password")))
    const again = new Browser(server.url)
    await again.signIn(email, "a new password")
    expect((await again.get("/today")).status).toBe(200)
  })
})
