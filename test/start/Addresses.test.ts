import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { clientKinds, overStdio } from "../mcp/Clients.ts"
import { Installation, type Program } from "./Programs.ts"

const email = "owner@example.com"

interface Doctor {
  readonly checks: ReadonlyArray<{ readonly name: string; readonly state: string; readonly found: string }>
}

describe("the address of a server with PORT=0", () => {
  const installation = new Installation({ cluster: true })
  let server: Program & { readonly url: string }

  const feed = async () => {
    const { code, err, out } = await installation.lat("account", "feed", email)
    expect(code).toBe(0)
    return { url: out.replace(/token=.*\n$/, ""), remark: err }
  }

  const found = async (name: string) => {
    const { out } = await installation.lat("doctor", "--json")
    const { checks } = JSON.parse(out) as Doctor
    return checks.find((check) => check.name === name)
  }

  beforeAll(async () => {
    server = await installation.start()
  })

  afterAll(() => installation.remove())

  it("is printed by lat account feed", async () => {
    const { remark, url } = await feed()
    expect(url).toBe(`${server.url}/reminders.ics?`)
    expect(remark).toBe("Keep it secret: whoever has it can read the reminders.\n")
  })

  it("is known to lat doctor, which tries its port", async () => {
    const { port } = new URL(server.url)
    expect(await found("port")).toMatchObject({ state: "ok", found: `${port} on 127.0.0.1: the server is running` })
    expect(await found("server")).toMatchObject({ state: "ok", found: expect.stringContaining(server.url) as string })
  })

  it("is tried by lat doctor without the proxy of the environment", async () => {
    const proxied = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9" }
    const { out } = await installation.latWith(proxied, "doctor", "--json")
    const { checks } = JSON.parse(out) as Doctor
    expect(checks.find(({ name }) => name === "port")).toMatchObject({ state: "ok" })
  })

  it("is used in links of tools over stdio", async () => {
    const mcp = await overStdio(clientKinds[0], {
      env: { LAT_STORAGE: "postgres", LAT_DATA_DIR: installation.dataDir }
    })
    await mcp.ok("create_list", { title: "Groceries" })
    const { results } = await mcp.ok("search", { query: "Groceries" })
    await mcp.close()
    expect(results[0].url).toMatch(new RegExp(`^${server.url}/lists/`))
  })

  it("is overridden by the environment", async () => {
    const { out } = await installation.latWith({ PORT: "4999" }, "account", "feed", email)
    expect(out).toMatch(/^http:\/\/localhost:4999\//)
  })

  it("is still used after the server is stopped, with a remark that no server runs", async () => {
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
    const { remark, url } = await feed()
    expect(url).toBe(`${server.url}/reminders.ics?`)
    expect(remark).toMatch(/\nNo server runs; this is where one answered until 2\d{3}-.* UTC\.\n$/)
    expect((await found("server"))?.found).toMatch(/No server runs; this is where one answered until/)
    expect((await installation.lat("setup")).out).toContain(
      `  Start      PORT=${new URL(server.url).port} npm --prefix `
    )
    expect((await found("port"))?.found).toMatch(/^3000 on 127\.0\.0\.1/)
  })

  it("is reported by lat doctor as free if the server was killed", async () => {
    const dead = await installation.start()
    dead.child.kill("SIGKILL")
    await dead.ended
    const { port } = new URL(dead.url)
    expect(await found("port")).toMatchObject({
      state: "warning",
      found: `${port} on 127.0.0.1 is free, where a server has just said that it runs`
    })
  })
})
