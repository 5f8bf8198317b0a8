import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { hasTerminals, onTerminal } from "../cli/OnTerminal.ts"
import { Browser } from "../signin/Browser.ts"
import { Installation } from "./Programs.ts"

/** Free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "localhost")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const launcher = join(import.meta.dirname, "../../bin/lat-http.mjs")
const email = "owner@example.com"

describe("the first start without a terminal", () => {
  const installation = new Installation()
  let out: string
  let url: string

  beforeAll(async () => {
    const first = await installation.start()
    ;[out, url] = [first.out(), first.url]
  })

  afterAll(() => installation.remove())

  it("prints in fewer than 20 lines how to reach everything", () => {
    const names = [...out.matchAll(/^ {2}(\w+(?: \w+)?) {2,}\S/gm)].map(([, name]) => name)
    expect(names).toEqual([
      ...["REST API", "Interface", "Tools"],
      ...["Sign in", "Assistant", "Calendar", "API key", "Try it", "Data", "Stop"]
    ])
    expect(out.trimEnd().split("\n").length).toBeLessThan(20)
    expect(out).toContain(`  Data       ${installation.dataDir}\n`)
    expect(out).toContain(`${email}, in the time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}\n`)
    expect(out).toMatch(/^ {2}Assistant {2}claude mcp add lists-and-things .* -- node \/.*\/bin\/lat-mcp\.mjs$/m)
    expect(out).not.toMatch(/token=/)
  })

  it("prints a link that works once, for choosing a password", async () => {
    const link = /^ {2}Sign in {4}(http\S+)$/m.exec(out)?.[1] ?? ""
    const browser = new Browser(url)
    const form = (await browser.get(link)).form("/sign-in/welcome")
    form.set("password", "correct horse")
    expect((await browser.post("/sign-in/welcome", form)).location).toBe(`${url}/today`)
    expect((await browser.get("/account")).text).toContain(email)
    expect((await browser.get(link)).status).toBe(410)
  })

  it("answers nobody before the first account and its key are there", async () => {
    const fresh = new Installation()
    try {
      const port = await freePort()
      const started = fresh.start({ PORT: String(port) })
      let isThere = false
      await until("an answer", async () => {
        const answer = await fetch(`http://localhost:${port}/healthz`).catch(() => undefined)
        isThere = existsSync(join(fresh.dataDir, "first-key"))
        return answer?.ok === true
      })
      expect(isThere).toBe(true)
      await started
    } finally {
      await fresh.remove()
    }
  })

  it("is followed by starts that print four lines", async () => {
    const { out } = await installation.start()
    expect(out().trimEnd().split("\n")).toHaveLength(4)
  })
})

describe("a first start that was ended before anybody had a way in", () => {
  const installation = new Installation()
  afterAll(() => installation.remove())

  it("is followed by starts that say so until a key was used", async () => {
    const made = await installation.lat("account", "create", "--email", email)
    expect(made.code).toBe(0)
    const { child, ended, out, url } = await installation.start()
    expect(out().trimEnd().split("\n").slice(4)).toEqual([
      expect.stringMatching(/^ {2}Account {4}owner@example\.com has no password, and no key .*: .*lat setup$/)
    ])
    const key = (await installation.lat("key", "create", "--account", email, "--quiet")).out.trim()
    const asked = await fetch(`${url}/api/v1/today`, { headers: { authorization: `Bearer ${key}` } })
    expect(asked.status).toBe(200)
    child.kill("SIGTERM")
    await ended
    expect((await installation.start()).out().trimEnd().split("\n")).toHaveLength(4)
  })
})

describe("a first start with a public HOST", () => {
  const installation = new Installation()
  afterAll(() => installation.remove())

  it("creates no account, and says how to create one and to set PUBLIC_URL as long as they are missing", async () => {
    const started = async (variables: Readonly<Record<string, string>>) => {
      const program = await installation.start({ HOST: "0.0.0.0", ...variables })
      program.child.kill("SIGTERM")
      await program.ended
      return { url: program.url, said: program.out().trimEnd().split("\n").slice(4) }
    }
    const { said, url } = await started({})
    const address = (site: string) =>
      `  Address    links name ${site}, which other devices do not reach: set PUBLIC_URL to the address that people use`
    const account = expect.stringMatching(/^ {2}Account {4}none yet: .* account create --email you@example\.com$/)
    expect(said).toEqual([account, address(url)])
    expect((await installation.lat("account", "create", "--email", "ann@example.com")).err).toMatch(
      /a link to choose its password with: .* account link ann@example\.com\n.* key create --account ann@example\.com/
    )
    const second = await started({})
    expect(second.said).toEqual([address(second.url)])
    const inMemory = await started({ LAT_STORAGE: "memory" })
    const none = expect.stringMatching(/^ {2}Account {4}none, and none can be made: .*=127\.0\.0\.1/)
    expect(inMemory.said).toEqual([none, address(inMemory.url)])
  })
})

describe.runIf(hasTerminals)("the first start on a terminal", () => {
  const open = () => {
    const installation = new Installation()
    const { HOME = "", PATH = "" } = process.env
    const env = { HOME, PATH, PORT: "0", LAT_DATA_DIR: installation.dataDir }
    return { installation, terminal: onTerminal([process.execPath, launcher], { env }) }
  }
  const opened: Array<ReturnType<typeof open>> = []
  const start = () => {
    const made = open()
    opened.push(made)
    return made
  }
  const urlOn = (screen: string) => /answers at (http:\S+)/.exec(screen)?.[1] ?? ""

  afterAll(async () => {
    for (const { installation, terminal } of opened) {
      terminal.child.kill("SIGKILL")
      await installation.remove()
    }
  })

  it("asks for a password without showing it, serves meanwhile, and stops at Ctrl-C", async () => {
    const { terminal } = start()
    await terminal.sees("Password: ")
    const url = urlOn(terminal.screen())
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    terminal.type("correct horse\r")
    await terminal.sees("The same again: ")
    terminal.type("correct horse\r")
    await terminal.sees(`Sign in as ${email}: ${url}`)
    expect(terminal.screen()).not.toContain("correct")
    expect(terminal.screen()).toMatch(/API key +lat_\w+ \(shown this once\)/)
    expect((await new Browser(url).signIn(email, "correct horse")).status).toBe(303)
    terminal.type("\u0003")
    expect([0, 130]).toContain(await terminal.ended)
  })

  it("prints a link for choosing a password in the browser if none is typed", async () => {
    const { terminal } = start()
    await terminal.sees("Password: ")
    terminal.type("\r")
    await terminal.sees(/within an hour: http:\S+/)
    const link = /within an hour: (http:\S+)/.exec(terminal.screen())?.[1] ?? ""
    expect((await new Browser(urlOn(terminal.screen())).get(link)).status).toBe(200)
  })

  it("stops at Ctrl-C while it asks", async () => {
    const { terminal } = start()
    await terminal.sees("Password: ")
    terminal.type("\u0003")
    expect([0, 130]).toContain(await terminal.ended)
  })
})
