import * as NodeClientDocuments from "@lists-and-things/platform-node/NodeClientDocuments"
import { describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { allScopes, callback, Program } from "./Program.ts"
import { quickHasher, startServer } from "./SignInServer.ts"
import { signedIn } from "./SignedIn.ts"

const { server, program } = await signedIn()

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

  it("leads a password manager to the form for a new password", async () => {
    const response = await fetch(`${server.url}/.well-known/change-password`, { redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toStrictEqual([303, "/account#password"])
  })

  it("names the configured issuer, whatever the Host header", async () => {
    const other = await startServer({ hasher: quickHasher, siteUrl: "https://lists.example" })
    const response = await fetch(`${other.url}/.well-known/oauth-authorization-server`)
    expect(await response.json()).toMatchObject({ issuer: "https://lists.example" })
    await other.stop()
  })

  it("refers programs to registration if it does not fetch metadata documents", async () => {
    const offline = await startServer({ hasher: quickHasher, documents: NodeClientDocuments.none })
    const response = await fetch(`${offline.url}/.well-known/oauth-authorization-server`)
    expect(await response.json()).toMatchObject({ client_id_metadata_document_supported: false })
    const asked = new Browser(offline.url).get(new Program(offline.url).authorizePath("https://a.example/client", "v"))
    expect(await asked).toMatchObject({ status: 400, text: expect.stringContaining("register at /oauth/register") })
    await offline.stop()
  })

  it("answers the preflight requests of programs in browsers", async () => {
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
  it("answers 201 with the registered fields, and omits absent ones", async () => {
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
    const [year2001, year2286] = [1_000_000_000, 10_000_000_000]
    expect(body.client_id_issued_at).toBeGreaterThan(year2001)
    expect(body.client_id_issued_at).toBeLessThan(year2286)
  })

  it("treats unknown fields and null as absent", async () => {
    const { body, status } = await program.register({
      client_name: "Named",
      redirect_uris: ["https://a.example/cb"],
      grant_types: null,
      logo_uri: "javascript:alert(1)",
      software_id: null
    })
    expect([status, body.client_name, body.logo_uri]).toStrictEqual([201, "Named", undefined])
  })

  it.each(["client_secret_post", "client_secret_basic"])(
    "registers a program that asks for %s without a secret",
    async (method) => {
      const { body, status } = await program.register({
        redirect_uris: [callback],
        token_endpoint_auth_method: method
      })
      expect([status, body.token_endpoint_auth_method, body.client_secret]).toStrictEqual([201, "none", undefined])
    }
  )

  it("distinguishes an invalid redirect address from other invalid metadata", async () => {
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
      { redirect_uris: [callback], token_endpoint_auth_method: "private_key_jwt" },
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
