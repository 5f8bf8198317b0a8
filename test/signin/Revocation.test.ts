import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { password } from "./SignInServer.ts"
import { signedIn } from "./SignedIn.ts"

const { server, program, browser, email, key, tokens } = await signedIn()

const statusOf = async (path: string, token: string) =>
  (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status

describe("access to an account that is revoked", () => {
  it("ends for keys, programs, browsers, the password and the feed, and nobody else's", async () => {
    const accounts = await server.run(Accounts)
    const other = await server.person()
    const { access, clientId, refresh } = await tokens()
    const feed = `/reminders.ics?token=${await server.run(accounts.feedToken(email))}`
    const opening = async () => ({
      key: await statusOf("/api/v1/lists", key),
      program: (await program.call(access, "list_lists")).status,
      page: (await browser.get("/today")).status,
      feed: (await fetch(`${server.url}${feed}`)).status
    })
    expect(await opening()).toStrictEqual({ key: 200, program: 200, page: 200, feed: 200 })

    const { grants, keys } = await server.run(accounts.revokeAccess(email))
    expect({ grants, keys }).toStrictEqual({ grants: 1, keys: 1 })
    expect(await opening()).toStrictEqual({ key: 401, program: 401, page: 303, feed: 404 })
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
