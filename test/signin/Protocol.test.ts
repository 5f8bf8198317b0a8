import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { allScopes, callback, Program } from "./Program.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

let server: SignInServer
let program: Program
let browser: Browser
let email: string
let key: string

beforeAll(async () => {
  server = await startServer({ hasher: quickHasher })
  program = new Program(server.url)
  browser = new Browser(server.url)
  ;({ email, key } = await server.person())
  await browser.signIn(email, password)
})
afterAll(() => server.stop())

const code = (clientId: string, others: Record<string, string | undefined> = {}) =>
  program.code(browser, email, clientId, others)
const tokens = async (scope = allScopes.join(" ")) => {
  const clientId = await program.registered()
  const { body } = await program.token(await code(clientId, { scope }))
  return { clientId, access: body.access_token as string, refresh: body.refresh_token as string }
}
const problem = (address: string | undefined) => Object.fromEntries(new URL(address ?? "").searchParams)

describe("discovery", () => {
  const seen = async (path: string) => {
    const response = await fetch(server.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    return (await response.json()) as unknown
  }

  it("describes the protected resource, at both addresses", async () => {
    const expected = {
      resource: `${server.url}/mcp`,
      authorization_servers: [server.url],
      scopes_supported: allScopes,
      bearer_methods_supported: ["header"],
      resource_name: "Lists and Things"
    }
    expect(await seen("/.well-known/oauth-protected-resource/mcp")).toStrictEqual(expected)
    expect(await seen("/.well-known/oauth-protected-resource")).toStrictEqual(expected)
  })

  it("describes the authorization server, at both addresses", async () => {
    const expected = {
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth/authorize`,
      token_endpoint: `${server.url}/oauth/token`,
      registration_endpoint: `${server.url}/oauth/register`,
      revocation_endpoint: `${server.url}/oauth/revoke`,
      scopes_supported: allScopes,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${server.url}/docs`
    }
    expect(await seen("/.well-known/oauth-authorization-server")).toStrictEqual(expected)
    expect(await seen("/.well-known/openid-configuration")).toStrictEqual(expected)
  })

  it("names the issuer of its settings, whatever Host asks", async () => {
    const other = await startServer({ hasher: quickHasher, siteUrl: "https://lists.example" })
    const response = await fetch(`${other.url}/.well-known/oauth-authorization-server`)
    expect(await response.json()).toMatchObject({ issuer: "https://lists.example" })
    await other.stop()
  })

  it("answers programs in browsers before they ask", async () => {
    for (const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-authorization-server",
      "/.well-known/openid-configuration",
      "/oauth/register",
      "/oauth/token",
      "/oauth/revoke"
    ]) {
      const { headers, status } = await fetch(server.url + path, { method: "OPTIONS" })
      expect([path, status, headers.get("access-control-allow-origin")]).toStrictEqual([path, 204, "*"])
      expect(headers.get("access-control-allow-headers")).toMatch(/authorization, content-type/i)
      expect(headers.get("access-control-allow-methods")).toMatch(/POST/)
      expect(headers.get("access-control-expose-headers")).toMatch(/WWW-Authenticate/)
    }
  })
})

describe("registration", () => {
  it("answers 201 with what is registered, and leaves out what is absent", async () => {
    const { body, headers, status } = await program.register({ redirect_uris: ["cursor://auth/callback"] })
    expect(status).toBe(201)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(body).toStrictEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      redirect_uris: ["cursor://auth/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    })
  })

  it("takes what it does not know and null as absent", async () => {
    const { body, status } = await program.register({
      client_name: "Named",
      redirect_uris: ["https://a.example/cb"],
      grant_types: null,
      logo_uri: "javascript:alert(1)",
      software_id: null
    })
    expect([status, body.client_name, body.logo_uri]).toStrictEqual([201, "Named", undefined])
  })

  it("says whether a redirect address or something else is wrong", async () => {
    const answer = async (metadata: unknown) => {
      const { body, status } = await program.register(metadata)
      return [status, body.error]
    }
    expect(await answer({ redirect_uris: ["http://a.example/cb"] })).toStrictEqual([400, "invalid_redirect_uri"])
    for (const metadata of [
      {},
      [],
      "text",
      { redirect_uris: [] },
      { redirect_uris: "https://a.example/cb" },
      { redirect_uris: [callback], client_name: 7 },
      { redirect_uris: [callback], token_endpoint_auth_method: "client_secret_basic" },
      { redirect_uris: [callback], grant_types: ["implicit"] },
      { redirect_uris: [callback], response_types: ["token"] },
      { redirect_uris: Array.from({ length: 21 }, () => callback) }
    ])
      expect(await answer(metadata)).toStrictEqual([400, "invalid_client_metadata"])
    const malformed = await fetch(`${server.url}/oauth/register`, { method: "POST", body: "{" })
    expect(await malformed.json()).toMatchObject({ error: expect.any(String), error_description: expect.any(String) })
  })

  it("is limited by address", async () => {
    const limited = await startServer({ hasher: quickHasher })
    const many = new Program(limited.url)
    const answers = await Promise.all(Array.from({ length: 65 }, () => many.register({ redirect_uris: [callback] })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(60)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.error).toBe("temporarily_unavailable")
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0)
    limited.later(3_600_001)
    expect((await many.register({ redirect_uris: [callback] })).status).toBe(201)
    await limited.stop()
  })
})

describe("authorization", () => {
  it("shows a page, and redirects nowhere, while client or address are wrong", async () => {
    const clientId = await program.registered()
    const wrong = [
      program.authorizePath("unknown", "v"),
      program.authorizePath(clientId, "v", { client_id: undefined }),
      program.authorizePath(clientId, "v", { redirect_uri: undefined }),
      program.authorizePath(clientId, "v", { redirect_uri: "https://evil.example/cb" }),
      program.authorizePath(clientId, "v", { redirect_uri: "http://127.0.0.1/callback/" }),
      program.authorizePath(clientId, "v", { redirect_uri: "http://127.0.0.1/x/../callback" }),
      program.authorizePath(clientId, "v", { redirect_uri: "http://localhost/callback" }),
      `${program.authorizePath(clientId, "v")}&redirect_uri=https%3A%2F%2Fevil.example`,
      `${program.authorizePath(clientId, "v")}&client_id=other`
    ]
    for (const path of wrong) {
      const seen = await browser.get(path)
      expect([path, seen.status, seen.location]).toStrictEqual([path, 400, undefined])
      expect(seen.text).toContain("This program cannot sign in")
    }
  })

  it("tells the client everything else, with state and iss, before anybody signs in", async () => {
    const clientId = await program.registered()
    const stranger = new Browser(server.url)
    const told = async (others: Record<string, string | undefined>) => {
      const seen = await stranger.get(program.authorizePath(clientId, "v", others))
      expect(seen.location?.startsWith(`${callback}?`)).toBe(true)
      const { error, iss, state } = problem(seen.location)
      expect([state, iss]).toStrictEqual(["a state", server.url])
      return error
    }
    expect(await told({ response_type: "token" })).toBe("unsupported_response_type")
    expect(await told({ response_type: undefined })).toBe("unsupported_response_type")
    expect(await told({ code_challenge: undefined })).toBe("invalid_request")
    expect(await told({ code_challenge: "short" })).toBe("invalid_request")
    expect(await told({ code_challenge_method: "plain" })).toBe("invalid_request")
    expect(await told({ code_challenge_method: undefined })).toBe("invalid_request")
    expect(await told({ resource: `${server.url}/other` })).toBe("invalid_target")
    expect(await told({ resource: `${server.url}/mcp//` })).toBe("invalid_target")
    expect(await told({ scope: "admin everything" })).toBe("invalid_scope")
  })

  it("tolerates one slash after the resource, and none at all", async () => {
    const clientId = await program.registered()
    for (const resource of [`${server.url}/mcp`, `${server.url}/mcp/`, undefined])
      expect((await browser.get(program.authorizePath(clientId, "v", { resource }))).status).toBe(200)
  })

  it("sends a stranger to sign in, and back to the very request", async () => {
    const path = program.authorizePath(await program.registered(), "v")
    const stranger = new Browser(server.url)
    const seen = await stranger.get(path)
    expect(seen.status).toBe(303)
    const next = new URL(seen.location ?? "").searchParams.get("next") ?? ""
    expect(next).toBe(path)
    const entered = await stranger.signIn(email, password, next)
    expect(entered.location).toBe(server.url + path)
  })

  it("asks for the scopes that the client wants, offers the others, and gives those that are ticked", async () => {
    const clientId = await program.registered()
    const seen = await browser.get(program.authorizePath(clientId, "v", { scope: "read:lists unknown search" }))
    expect(seen.form("/oauth/authorize").getAll("allow")).toStrictEqual(["read:lists", "search"])
    const unasked = await browser.get(program.authorizePath(clientId, "v", { scope: undefined }))
    expect(unasked.form("/oauth/authorize").getAll("allow")).toStrictEqual(["read:lists", "read:things", "search"])
    const verifier = "v".repeat(43)
    const answered = await browser.consent(
      program.authorizePath(clientId, verifier, { scope: "read:lists search" }),
      { email, password },
      (form) => {
        form.delete("allow")
        form.append("allow", "write:things")
        form.append("allow", "search")
        form.append("allow", "admin")
      }
    )
    const { body } = await program.token({
      grant_type: "authorization_code",
      code: answered.searchParams.get("code") ?? "",
      client_id: clientId,
      redirect_uri: callback,
      code_verifier: verifier
    })
    expect(body.scope).toBe("write:things search")
  })

  it("tells the client of a refusal, and of an approval of nothing", async () => {
    const path = program.authorizePath(await program.registered(), "v", { state: "x&y=z" })
    const denied = await browser.consent(path, { email, password }, (form) => form.set("decision", "deny"))
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({
      error: "access_denied",
      state: "x&y=z",
      iss: server.url
    })
    const nothing = await browser.consent(path, { email, password }, (form) => form.delete("allow"))
    expect(nothing.searchParams.get("error")).toBe("access_denied")
  })

  it("answers with code, state and iss, after a query that the address has", async () => {
    const clientId = await program.registered(["https://a.example/cb?x=1"])
    const path = program.authorizePath(clientId, "v", { redirect_uri: "https://a.example/cb?x=1", state: undefined })
    const answered = await browser.consent(path, { email, password })
    expect([...answered.searchParams.keys()]).toStrictEqual(["x", "code", "iss"])
    expect(answered.searchParams.get("iss")).toBe(server.url)
  })
})

describe("tokens", () => {
  it("come for a code, once", async () => {
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
    // The replay of a code takes back what it gave.
    expect((await program.call(body.access_token, "list_lists")).status).toBe(401)
    expect((await program.refresh(fields.client_id, body.refresh_token)).body.error).toBe("invalid_grant")
  })

  it("come for one of many who bring the same code, and die with the others' replay", async () => {
    const fields = await code(await program.registered())
    const answers = await Promise.all(Array.from({ length: 8 }, () => program.token(fields)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const given = answers.find(({ status }) => status === 200)
    if (given !== undefined) expect((await program.call(given.body.access_token, "list_lists")).status).toBe(401)
  })

  it("come for a minute, to the same client, address, verifier and resource", async () => {
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

  it("live for an hour", async () => {
    const { access } = await tokens()
    server.later(3_599_000)
    expect((await program.call(access, "list_lists")).status).toBe(200)
    server.later(1_001)
    const { headers, status } = await program.call(access, "list_lists")
    expect(status).toBe(401)
    expect(headers.get("www-authenticate")).toContain(`error="invalid_token"`)
  })

  it("are good for tools only; keys go on being good for both", async () => {
    const { access, refresh } = await tokens()
    expect((await program.rest(access)).status).toBe(401)
    expect((await program.rest(refresh)).status).toBe(401)
    expect((await program.call(refresh, "list_lists")).status).toBe(401)
    expect((await program.rest(key)).status).toBe(200)
    expect((await program.call(key, "list_lists")).status).toBe(200)
  })

  it("show all tools, and challenge where the scope is missing", async () => {
    const { access } = await tokens("read:lists")
    const listed = await program.rpc(access, "tools/list")
    expect(listed.body.result.tools).toHaveLength(24)
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
  it("rotates, with a minute of grace, and takes everything back on a later replay", async () => {
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

  it("is for the same client only, and slides for ninety days", async () => {
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

  it("ends what follows from a token of either kind", async () => {
    for (const kind of ["access", "refresh"] as const) {
      const given = await tokens()
      expect(await revoke({ token: given[kind], client_id: given.clientId })).toBe(200)
      expect((await program.call(given.access, "list_lists")).status).toBe(401)
      expect((await program.refresh(given.clientId, given.refresh)).body.error).toBe("invalid_grant")
    }
  })

  it("answers 200 also for what is unknown, another client's or missing, and changes nothing", async () => {
    const { access } = await tokens()
    expect(await revoke({ token: "unknown" })).toBe(200)
    expect(await revoke({ token: key })).toBe(200)
    expect(await revoke({})).toBe(200)
    expect(await revoke({ token: access, client_id: await program.registered() })).toBe(200)
    expect((await program.call(access, "list_lists")).status).toBe(200)
    expect((await program.call(key, "list_lists")).status).toBe(200)
  })
})
