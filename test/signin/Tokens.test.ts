import { describe, expect, it } from "@effect/vitest"
import { refreshesAnHour } from "@lists-and-things/domain/signin/Authorizations"
import { allScopes } from "./Program.ts"
import { password } from "./SignInServer.ts"
import { signedIn } from "./SignedIn.ts"

const { server, program, browser, email, key, code, tokens } = await signedIn()

describe("tokens", () => {
  it("are issued for a code, once", async () => {
    const fields = await code(await program.registered())
    const { body, headers, status } = await program.token(fields)
    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(body).toStrictEqual({
      access_token: expect.stringMatching(/^lat_at_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^lat_rt_[\w-]{43}$/),
      scope: allScopes.join(" ")
    })
    expect((await program.call(body.access_token, "list_lists")).status).toBe(200)
    const again = await program.token(fields)
    expect([again.status, again.body.error]).toStrictEqual([400, "invalid_grant"])
    // The replay of a code revokes the tokens issued for it.
    expect((await program.call(body.access_token, "list_lists")).status).toBe(401)
    expect((await program.refresh(fields.client_id, body.refresh_token)).body.error).toBe("invalid_grant")
  })

  it("are issued to one of several concurrent requests with one code, and are revoked by the others' replay", async () => {
    const fields = await code(await program.registered())
    const answers = await Promise.all(Array.from({ length: 8 }, () => program.token(fields)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const given = answers.find(({ status }) => status === 200)
    if (given !== undefined) expect((await program.call(given.body.access_token, "list_lists")).status).toBe(401)
  })

  it("are issued within a minute, for the same client, address, verifier and resource", async () => {
    const clientId = await program.registered()
    const other = await program.registered()
    const answer = async (change: Record<string, string | undefined>) => {
      const { body, headers, status } = await program.token({ ...(await code(clientId)), ...change })
      expect(headers.get("cache-control")).toBe("no-store")
      return [status, body.error]
    }
    expect(await answer({ client_id: other })).toStrictEqual([400, "invalid_grant"])
    expect(await answer({ client_id: "unknown" })).toStrictEqual([401, "invalid_client"])
    expect(await answer({ redirect_uri: "http://127.0.0.1:4712/callback" })).toStrictEqual([400, "invalid_grant"])
    expect(await answer({ code_verifier: "w".repeat(43) })).toStrictEqual([400, "invalid_grant"])
    expect(await answer({ code_verifier: "w" })).toStrictEqual([400, "invalid_grant"])
    expect(await answer({ code: "lat_ac_unknown" })).toStrictEqual([400, "invalid_grant"])
    expect(await answer({ resource: "https://other.example/mcp" })).toStrictEqual([400, "invalid_target"])
    expect(await answer({ resource: `${server.url}/mcp/` })).toStrictEqual([200, undefined])
    expect(await answer({ code_verifier: undefined })).toStrictEqual([400, "invalid_request"])
    expect(await answer({ grant_type: "password" })).toStrictEqual([400, "unsupported_grant_type"])
    expect(await answer({ grant_type: undefined })).toStrictEqual([400, "invalid_request"])
    const late = await code(clientId)
    server.later(60_000)
    expect((await program.token(late)).body.error).toBe("invalid_grant")
  })

  it("are issued to a client that names itself by Basic, as libraries do by default", async () => {
    const clientId = await program.registered()
    const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:`).toString("base64")}` })
    const { client_id: _, ...fields } = await code(clientId)
    const send = async (sent: Record<string, string>, user: string) => {
      const { body, status } = await program.form("/oauth/token", sent, basic(user))
      return { said: [status, body.error], refresh: body.refresh_token as string }
    }
    expect((await send(fields, "unknown")).said).toStrictEqual([401, "invalid_client"])
    expect((await send(fields, "")).said).toStrictEqual([400, "invalid_request"])
    const { said, refresh } = await send(fields, encodeURIComponent(clientId).replaceAll("-", "%2D"))
    expect(said).toStrictEqual([200, undefined])
    const again = { grant_type: "refresh_token", refresh_token: refresh }
    expect((await send(again, await program.registered())).said).toStrictEqual([400, "invalid_grant"])
    expect((await send({ ...again, client_id: clientId }, "unknown")).said).toStrictEqual([200, undefined])
  })

  it("live for an hour", async () => {
    const { access } = await tokens()
    server.later(3_599_000)
    expect((await program.call(access, "list_lists")).status).toBe(200)
    server.later(1_001)
    const { headers, status } = await program.call(access, "list_lists")
    expect(status).toBe(401)
    expect(headers.get("www-authenticate")).toContain(`error="invalid_token"`)
  })

  it("work only for tools, while keys work for tools and REST", async () => {
    const { access, refresh } = await tokens()
    expect((await program.rest(access)).status).toBe(401)
    expect((await program.rest(refresh)).status).toBe(401)
    expect((await program.call(refresh, "list_lists")).status).toBe(401)
    expect((await program.rest(key)).status).toBe(200)
    expect((await program.call(key, "list_lists")).status).toBe(200)
  })

  it("list all tools, and are challenged if a scope or the token is missing", async () => {
    const { access } = await tokens("read:lists")
    const listed = await program.rpc(access, "tools/list")
    expect(listed.body.result.tools).toHaveLength(27)
    const { headers, status } = await program.call(access, "create_list", { title: "New" })
    expect(status).toBe(403)
    expect(headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="read:lists write:lists", resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`
    )
    const unsigned = await program.rpc(undefined, "tools/list")
    expect(unsigned.headers.get("access-control-allow-origin")).toBe("*")
    expect(unsigned.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate")
    expect(unsigned.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp", scope="read:lists read:things search"`
    )
  })
})

describe("refreshing", () => {
  it("rotates, with a minute of grace, and revokes the grant on a later replay", async () => {
    const { clientId, refresh } = await tokens()
    const second = await program.refresh(clientId, refresh)
    expect(second.status).toBe(200)
    expect(second.headers.get("cache-control")).toBe("no-store")
    expect(second.body.refresh_token).not.toBe(refresh)
    server.later(59_000)
    const raced = await program.refresh(clientId, refresh)
    expect(raced.status).toBe(200)
    server.later(2_000)
    expect((await program.call(raced.body.access_token, "list_lists")).status).toBe(200)
    expect((await program.refresh(clientId, refresh)).body.error).toBe("invalid_grant")
    for (const { body } of [second, raced]) {
      expect((await program.call(body.access_token, "list_lists")).status).toBe(401)
      expect((await program.refresh(clientId, body.refresh_token)).body.error).toBe("invalid_grant")
    }
  })

  it("is limited to 120 times an hour", async () => {
    const { clientId, refresh } = await tokens()
    let newest = refresh
    for (let n = 0; n < refreshesAnHour; n++) newest = (await program.refresh(clientId, newest)).body.refresh_token
    const refused = await program.refresh(clientId, newest)
    expect([refused.status, refused.body.error]).toStrictEqual([429, "temporarily_unavailable"])
    expect(refused.headers.get("retry-after")).toBe("3600")
    const other = await tokens()
    expect((await program.refresh(other.clientId, other.refresh)).status).toBe(200)
    server.later(3_600_000)
    expect((await program.refresh(clientId, newest)).status).toBe(200)
  })

  it("gives an access token with fewer scopes on request, and never one with more", async () => {
    const { clientId, refresh } = await tokens("read:lists write:lists search")
    const ask = (token: string, scope: string) =>
      program.form("/oauth/token", {
        grant_type: "refresh_token",
        refresh_token: token,
        client_id: clientId,
        resource: `${server.url}/mcp`,
        scope
      })
    const narrow = await ask(refresh, "search  read:lists")
    expect([narrow.status, narrow.body.scope]).toStrictEqual([200, "read:lists search"])
    const asked = await program.call(narrow.body.access_token, "create_list", { title: "New" })
    expect([asked.status, asked.headers.get("www-authenticate")]).toStrictEqual([
      403,
      expect.stringContaining(`scope="read:lists search write:lists"`)
    ])
    expect((await program.call(narrow.body.access_token, "list_lists")).status).toBe(200)
    for (const scope of ["read:lists read:things", "offline_access", "search,read:lists"]) {
      const refused = await ask(narrow.body.refresh_token, scope)
      expect([refused.status, refused.body]).toStrictEqual([
        400,
        {
          error: "invalid_scope",
          error_description:
            "scope names more than was granted, which is read:lists write:lists search. For more, send the person to the authorization endpoint again."
        }
      ])
    }
    // Refused requests do not use up the refresh token.
    const whole = await ask(narrow.body.refresh_token, " ")
    expect([whole.status, whole.body.scope]).toStrictEqual([200, "read:lists write:lists search"])
    expect((await program.call(whole.body.access_token, "create_list", { title: "New" })).status).toBe(200)
    expect((await program.call(narrow.body.access_token, "create_list", { title: "New" })).status).toBe(403)
    const twice = new URLSearchParams({ grant_type: "refresh_token", client_id: clientId, scope: "search" })
    twice.append("refresh_token", whole.body.refresh_token)
    twice.append("scope", "read:lists")
    const repeated = await fetch(`${server.url}/oauth/token`, { method: "POST", body: twice })
    expect(await repeated.json()).toMatchObject({ error: "invalid_request" })
  })

  it("works for the same client only, and extends the grant by ninety days", async () => {
    const { access, clientId, refresh } = await tokens()
    expect((await program.refresh(await program.registered(), refresh)).body.error).toBe("invalid_grant")
    expect((await program.refresh(clientId, access)).body.error).toBe("invalid_grant")
    expect((await program.refresh("unknown", refresh)).status).toBe(401)
    server.later(89 * 86_400_000)
    const second = await program.refresh(clientId, refresh)
    server.later(89 * 86_400_000)
    const third = await program.refresh(clientId, second.body.refresh_token)
    expect(third.status).toBe(200)
    server.later(90 * 86_400_000)
    expect((await program.refresh(clientId, third.body.refresh_token)).body.error).toBe("invalid_grant")
    await browser.signIn(email, password)
  })
})

describe("revocation", () => {
  const revoke = async (fields: Record<string, string>) => (await program.form("/oauth/revoke", fields)).status

  it("ends the grant, by an access or a refresh token", async () => {
    for (const kind of ["access", "refresh"] as const) {
      const given = await tokens()
      expect(await revoke({ token: given[kind], client_id: given.clientId })).toBe(200)
      expect((await program.call(given.access, "list_lists")).status).toBe(401)
      expect((await program.refresh(given.clientId, given.refresh)).body.error).toBe("invalid_grant")
    }
  })

  it("by the person ends every grant of the program, with a code that is not exchanged yet, and no other program", async () => {
    const [given, other] = [await tokens(), await tokens()]
    const waiting = await code(given.clientId)
    const account = await browser.get("/account")
    await browser.post("/account/programs/disconnect", account.form("/account/programs/disconnect"))
    expect((await program.call(given.access, "list_lists")).status).toBe(401)
    expect((await program.refresh(given.clientId, given.refresh)).body.error).toBe("invalid_grant")
    expect((await program.token(waiting)).body.error).toBe("invalid_grant")
    expect((await program.call(other.access, "list_lists")).status).toBe(200)
  })

  it("answers 200 also for a token that is unknown, another client's or missing, and changes nothing", async () => {
    const { access } = await tokens()
    expect(await revoke({ token: "unknown" })).toBe(200)
    expect(await revoke({ token: key })).toBe(200)
    expect(await revoke({})).toBe(200)
    expect(await revoke({ token: access, client_id: await program.registered() })).toBe(200)
    expect((await program.call(access, "list_lists")).status).toBe(200)
    expect((await program.call(key, "list_lists")).status).toBe(200)
  })
})
