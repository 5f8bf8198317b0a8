import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { hasTerminals, onTerminal } from "../cli/OnTerminal.ts"
import { Installation, type Program } from "./Programs.ts"

const lat = join(import.meta.dirname, "../../bin/lat.mjs")

describe("lat db stop while a server runs", () => {
  const installation = new Installation({ cluster: true })
  let url: string

  const status = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  const answers = () => until("an answer of the server", async () => (await status()) === 200)

  let server: Program

  beforeAll(async () => {
    const started = await installation.start()
    ;[server, url] = [started, started.url]
  })

  afterAll(() => installation.remove())

  it("requires --yes if it is not on a terminal, and stops nothing without it", async () => {
    const pid = installation.serverPid()
    expect(await installation.lat("db", "stop")).toStrictEqual({
      code: 2,
      out: "",
      err: "lat: Stopping the database under 1 program that uses it: confirm with --yes\n"
    })
    await answers()
    expect(installation.serverPid()).toBe(pid)
  })

  it.runIf(hasTerminals)("asks on a terminal, and stops nothing if the answer is no", async () => {
    const pid = installation.serverPid()
    const { PATH = "", HOME = "" } = process.env
    const terminal = onTerminal([process.execPath, lat, "db", "stop"], {
      env: { PATH, HOME, LAT_DATA_DIR: installation.dataDir }
    })
    await terminal.sees("Stopping the database under 1 program that uses it? [y/N] ")
    terminal.type("n\r")
    expect(await terminal.ended).toBe(1)
    expect(terminal.screen()).toContain("Nothing was changed.")
    await answers()
    expect(installation.serverPid()).toBe(pid)
  })

  it("stops the database, which the server starts again", async () => {
    const pid = installation.serverPid()
    const { code, out } = await installation.lat("db", "stop", "--yes")
    expect([code, out]).toEqual([0, "The embedded PostgreSQL was stopped. The programs that use it start it again.\n"])
    await until("another database", () => (installation.serverPid() ?? pid) !== pid)
    await answers()
  })

  it("keeps the database stopped with --stay-down, until a command starts it", async () => {
    const { code, out } = await installation.lat("db", "stop", "--stay-down", "--yes")
    expect([code, out]).toEqual([
      0,
      "The embedded PostgreSQL is stopped, until a command or another program starts it.\n"
    ])
    const marker = join(installation.dataDir, "postgres/stopped")
    expect([existsSync(marker), installation.serverPid(), await status()]).toEqual([true, undefined, 503])
    expect((await installation.lat("account", "list")).code).toBe(0)
    await answers()
  })

  it("leaves no database behind where a command is ended while it starts one", async () => {
    server.child.kill("SIGTERM")
    await server.ended
    const { PATH = "", HOME = "" } = process.env
    const child = spawn(process.execPath, [lat, "account", "list"], {
      env: { PATH, HOME, LAT_DATA_DIR: installation.dataDir }
    })
    const ended = once(child, "close")
    await until("a database that starts", () => installation.serverPid() !== undefined)
    child.kill("SIGTERM")
    expect([await ended, installation.serverPid()]).toEqual([[143, null], undefined])
  })
})
