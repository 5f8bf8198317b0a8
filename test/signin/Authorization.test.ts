import { describe, expect, it } from "@effect/vitest"
import { isResource } from "@lists-and-things/http/oauth/Discovery"
import { Browser } from "./Browser.ts"
import { callback } from "./Program.ts"
import { password } from "./SignInServer.ts"
import { signedIn } from "./SignedIn.ts"

const { server, program, browser, email } = await signedIn()

const problem = (address: string | undefined) => Object.fromEntries(new URL(address ?? "").searchParams)

describe("authorization", () => {
  it("shows a page, and does not redirect, if the client or the redirect address is wrong", async () => {
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

  it("sends other errors to the client, with state and iss, before the person signs in", async () => {
    const clientId = await program.registered()
    const stranger = new Browser(server.url)
    let said: string | undefined
    const told = async (others: Record<string, string | undefined>) => {
      const seen = await stranger.get(program.authorizePath(clientId, "v", others))
      expect(seen.location?.startsWith(`${callback}?`)).toBe(true)
      const { error, error_description: description, iss, state } = problem(seen.location)
      expect([state, iss]).toStrictEqual(["a state", server.url])
      said = description
      return error
    }
    expect(await told({ response_type: "token" })).toBe("unsupported_response_type")
    expect(await told({ response_type: undefined })).toBe("invalid_request")
    expect(await told({ code_challenge: undefined })).toBe("invalid_request")
    expect(await told({ code_challenge: "short" })).toBe("invalid_request")
    expect(said).toContain("which has 43 characters")
    expect(await told({ code_challenge_method: "plain" })).toBe("invalid_request")
    expect(await told({ code_challenge_method: undefined })).toBe("invalid_request")
    expect(await told({ resource: `${server.url}/other` })).toBe("invalid_target")
    expect(await told({ resource: `${server.url}/mcp//` })).toBe("invalid_target")
    expect(await told({ scope: "admin everything" })).toBe("invalid_scope")
    expect(said).toContain("some of read:lists, write:lists,")
    for (const again of ["response_type=code", "code_challenge_method=S256", "scope=search", "resource=x"]) {
      const seen = await stranger.get(`${program.authorizePath(clientId, "v")}&scope=search&resource=y&${again}`)
      expect(problem(seen.location)).toMatchObject({ error: "invalid_request", state: "a state", iss: server.url })
    }
    const twoStates = await stranger.get(`${program.authorizePath(clientId, "v")}&state=b`)
    expect([twoStates.status, twoStates.location]).toStrictEqual([400, undefined])
  })

  it("accepts a resource with or without a final slash, and a missing one", async () => {
    const clientId = await program.registered()
    for (const resource of [`${server.url}/mcp`, `${server.url}/mcp/`, undefined])
      expect((await browser.get(program.authorizePath(clientId, "v", { resource }))).status).toBe(200)
  })

  it("ignores case in the resource's scheme and host, and accepts no other resource", () => {
    const of = (resource: string) => isResource(resource, "https://lists.example")
    expect(
      ["https://lists.example/mcp", "HTTPS://Lists.Example/mcp", "https://LISTS.EXAMPLE:443/mcp/"].map(of)
    ).toEqual([true, true, true])
    const others = ["https://lists.example/MCP", "https://lists.example", "https://lists.example/mcp?x", "/mcp", ""]
    expect([...others, "https://lists.example/mcp#x", "http://lists.example/mcp"].filter(of)).toEqual([])
  })

  it("sends a person to sign in, and then back to the same request", async () => {
    const path = program.authorizePath(await program.registered(), "v")
    const stranger = new Browser(server.url)
    const seen = await stranger.get(path)
    expect(seen.status).toBe(303)
    const next = new URL(seen.location ?? "").searchParams.get("next") ?? ""
    expect(next).toBe(path)
    const entered = await stranger.signIn(email, password, next)
    expect(entered.location).toBe(server.url + path)
  })

  it("asks again if the session ends or changes before the answer", async () => {
    const path = program.authorizePath(await program.registered(), "v", { state: "ü&\n" })
    const form = (await browser.get(path)).form("/oauth/authorize")
    form.set("decision", "allow")
    const stranger = new Browser(server.url)
    const asked = await stranger.post("/oauth/authorize", form)
    const next = new URL(asked.location ?? "").searchParams.get("next") ?? ""
    const { location } = await stranger.signIn(email, password, next)
    expect((await stranger.get(location ?? "")).form("/oauth/authorize").get("state")).toBe("ü&\n")
    const refused = await stranger.post("/oauth/authorize", form)
    expect(refused.status).toBe(403)
    const [, back = ""] = /class="button" href="([^"]*)"/.exec(refused.text) ?? []
    expect((await stranger.get(back.replaceAll("&#38;", "&"))).form("/oauth/authorize").get("state")).toBe("ü&\n")
  })

  it("preselects the scopes that the client asks for, offers the others, and grants the selected ones", async () => {
    const clientId = await program.registered()
    const seen = await browser.get(program.authorizePath(clientId, "v", { scope: "read:lists unknown search" }))
    expect(seen.form("/oauth/authorize").getAll("allow")).toStrictEqual(["read:lists", "search"])
    expect(seen.text).toContain(`access to the lists of <strong>${email}</strong>`)
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

  it("tells the client of a refusal, and of an approval without scopes", async () => {
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

  it("answers with code, state and iss, appended to a query of the redirect address", async () => {
    const clientId = await program.registered(["https://a.example/cb?x=1"])
    const path = program.authorizePath(clientId, "v", { redirect_uri: "https://a.example/cb?x=1", state: undefined })
    const answered = await browser.consent(path, { email, password })
    expect([...answered.searchParams.keys()]).toStrictEqual(["x", "code", "iss"])
    expect(answered.searchParams.get("iss")).toBe(server.url)
  })
})
