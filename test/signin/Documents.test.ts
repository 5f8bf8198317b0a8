import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ClientDocuments } from "@lists-and-things/domain/signin/ClientDocuments"
import { OAuthError } from "@lists-and-things/domain/signin/OAuthError"
import { fetchText, isDocumentUrl, publicLookup } from "@lists-and-things/platform-node/NodeClientDocuments"
import type { Resolve } from "@lists-and-things/platform-node/NameLookup"
import { isPublicAddress } from "@lists-and-things/platform-node/PublicAddress"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { callback, Program } from "./Program.ts"
import { password, quickHasher, startServer } from "./SignInServer.ts"

describe("an address", () => {
  it.each([
    ...["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "198.20.0.1"],
    ...["2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"]
  ])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true))

  it.each([
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1"],
    ...["172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ...["224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1"],
    ...["64:ff9b::7f00:1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fc00::1", "fd00::1"],
    ...["fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "ff02::1", "", "localhost", "127.1", "0x7f.1"]
  ])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false))
})

describe("a name", () => {
  const resolving =
    (...addresses: ReadonlyArray<string>): Resolve =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
  const lookedUp = (resolve: Resolve, all: boolean) =>
    new Promise((done) =>
      publicLookup(resolve)("client.example", { all }, (error, address) => done(error === null ? address : "refused"))
    )

  it("resolves only to its public addresses", async () => {
    expect(await lookedUp(resolving("127.0.0.1", "::1", "10.0.0.1"), true)).toBe("refused")
    expect(await lookedUp(resolving(), false)).toBe("refused")
    expect(await lookedUp(resolving("127.0.0.1", "8.8.8.8"), false)).toBe("8.8.8.8")
    expect(await lookedUp(resolving("8.8.8.8", "::1"), true)).toStrictEqual([{ address: "8.8.8.8", family: 4 }])
  })

  it("of this machine is never fetched", async () => {
    const error = await Effect.runPromise(
      Effect.flip(fetchText("https://localhost/client.json", { lookup: publicLookup() }))
    )
    expect(error.description).toMatch(/^The document at client_id cannot be fetched:/)
  })
})

describe("a client_id", () => {
  it("is fetched only if it is a normalized https URL with a host name, a path and the default port", () => {
    expect(isDocumentUrl("https://client.example/oauth/metadata.json")).toBe(true)
    for (const text of [
      ...["http://client.example/a", "https://client.example", "https://client.example/", "https://127.0.0.1/a"],
      ...["https://[::1]/a", "https://client.example:8443/a", "https://user@client.example/a", "https://2130706433/a"],
      ...[
        "https://client.example/a#b",
        "https://client.example/a/../b",
        "https://CLIENT.example/a",
        "file:///etc/passwd"
      ]
    ])
      expect([text, isDocumentUrl(text)]).toStrictEqual([text, false])
  })
})

describe("fetching", () => {
  const folder = mkdtempSync(join(tmpdir(), "lat-tls-"))
  let server: Server
  let ca: string
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  let asked = 0

  beforeAll(async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
    const subject = ["-subj", "/CN=client.example", "-addext", "subjectAltName=DNS:client.example"]
    const make = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    execFileSync("openssl", [...make, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" })
    ca = readFileSync(cert, "utf8")
    server = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
      asked++
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  /** Fetches with the name resolved to this machine, which only a test may allow. */
  const fetched = (options: { readonly ca?: string } = { ca }) =>
    fetchText("https://client.example/client.json", {
      ...options,
      port: (server.address() as AddressInfo).port,
      lookup: (_, { all }, callback) =>
        all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)
    })
  const refusal = async (options?: { readonly ca?: string }) =>
    (await Effect.runPromise(Effect.flip(fetched(options)))).description

  it("returns a text of up to 64 KiB", async () => {
    answer = (_, response) => void response.end("x".repeat(65_536))
    expect(await Effect.runPromise(fetched())).toHaveLength(65_536)
    answer = (_, response) => void response.end("x".repeat(65_537))
    expect(await refusal()).toContain("larger than 64 KiB")
  })

  it("accepts at most ten interim answers", async () => {
    const interim = (response: ServerResponse, count: number) => {
      for (let n = 0; n < count; n++) response.writeContinue()
    }
    answer = (_, response) => {
      interim(response, 10)
      response.end("{}")
    }
    expect(await Effect.runPromise(fetched())).toBe("{}")
    answer = (_, response) => interim(response, 11)
    expect(await refusal()).toContain("cannot be fetched")
  })

  it("follows no redirect, and accepts only status 200", async () => {
    asked = 0
    answer = (_, response) => void response.writeHead(302, { location: "https://client.example/other" }).end()
    expect(await refusal()).toContain("did not answer 200")
    expect(asked).toBe(1)
    answer = (_, response) => void response.writeHead(404).end("{}")
    expect(await refusal()).toContain("did not answer 200")
  })

  it("trusts no self-signed certificate", async () => {
    answer = (_, response) => void response.end("{}")
    expect(await refusal({})).toContain("cannot be fetched")
  })

  it("ends after five seconds, even while data still arrives", async () => {
    let drip: NodeJS.Timeout | undefined
    answer = (_, response) => {
      drip = setInterval(() => response.write(" "), 200)
    }
    expect(await refusal()).toContain("longer than 5 seconds")
    clearInterval(drip)
  })
})

describe("a client with a metadata document", () => {
  const id = "https://client.example/oauth/metadata.json"

  it("signs in by its document, which is fetched for each authorization and never for a token", async () => {
    const described = {
      document: { client_id: id, client_name: "Described", redirect_uris: [callback] } as unknown,
      times: 0
    }
    const documents = Layer.succeed(ClientDocuments, {
      areFetched: true,
      fetch: (url) =>
        Effect.suspend(() => {
          described.times++
          return url === id
            ? Effect.succeed(described.document)
            : Effect.fail(new OAuthError({ code: "invalid_client", description: "None there." }))
        })
    })
    const server = await startServer({ documents, hasher: quickHasher })
    const { email } = await server.person()
    const [program, browser] = [new Program(server.url), new Browser(server.url)]
    await browser.signIn(email, password)
    expect((await program.token({ grant_type: "refresh_token", client_id: id, refresh_token: "x" })).status).toBe(401)
    expect(described.times).toBe(0)

    const { body, status } = await program.token(await program.code(browser, email, id))
    expect(status).toBe(200)
    expect(described.times).toBe(2)
    expect((await program.refresh(id, body.refresh_token)).status).toBe(200)
    expect(described.times).toBe(2)

    const shown = async (document: unknown) => {
      described.document = document
      const seen = await browser.get(program.authorizePath(id, "v"))
      return [seen.status, seen.location]
    }
    const good = { client_id: id, client_name: "Described", redirect_uris: [callback] }
    expect(await shown(good)).toStrictEqual([200, undefined])
    expect(await shown({ ...good, client_id: "https://other.example/x" })).toStrictEqual([400, undefined])
    expect(await shown({ ...good, redirect_uris: ["https://other.example/cb"] })).toStrictEqual([400, undefined])
    expect(await shown({ ...good, redirect_uris: [callback, "javascript:alert(1)"] })).toStrictEqual([400, undefined])
    for (const method of ["private_key_jwt", "client_secret_post"])
      expect(await shown({ ...good, token_endpoint_auth_method: method })).toStrictEqual([400, undefined])
    for (const document of [null, [], "text", {}]) expect(await shown(document)).toStrictEqual([400, undefined])

    for (let at = 0; at < 120; at++) await browser.get(program.authorizePath(id, "v"))
    const { times } = described
    expect((await browser.get(program.authorizePath(id, "v"))).text).toContain("Too many sign-ins from this address")
    expect(described.times).toBe(times)
    await server.stop()
  })
})
