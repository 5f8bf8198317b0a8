import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ask } from "./Ask.ts"
import { launch, listening, openInstallation, socketOf, through } from "./Installation.ts"
import { startFaultProxy } from "./FaultProxy.ts"
import { Redacted } from "effect"

const installation = await openInstallation()
afterAll(() => installation.close())

describe("a start of servers", () => {
  it("of four at once on an empty database succeeds: one migrates, all serve", async () => {
    const database = Redacted.value(await installation.postgres.createDatabase("fresh"))
    const hosts = await Promise.all(Array.from({ length: 4 }, () => installation.serve({ database })))
    for (const { url } of hosts)
      await until("a server that is ready", async () => (await ask(url, "GET", "//readyz")).status === 200)
    expect(hosts.filter((host) => host.err().includes("schema is now at version")).length).toBe(1)
    const [row] = await installation.postgres.sql("select count(*)::int4 as n from accounts", "fresh")
    expect(row?.n).toBeLessThanOrEqual(1)
  })

  it("without a database waits with a line in the log, and succeeds once the database is up", async () => {
    await installation.postgres.halt("fast")
    const host = launch(Redacted.value(installation.postgres.url()))
    await until("a line that says so", () => host.err().includes("cannot be reached yet"))
    expect(host.child.exitCode).toBeNull()
    await installation.postgres.start()
    await listening(host)
    expect(host.err()).toContain("PostgreSQL answers.")
    host.child.kill("SIGTERM")
    expect(await host.ended).toBe(0)
  })

  it("with an invalid DATABASE_URL ends with 1 and one line without the password", async () => {
    const host = launch("postgres//user:not-checked-here@nowhere")
    expect(await host.ended).toBe(1)
    expect(host.err()).not.toContain("not-checked-here")
    expect(host.err().trim().split("\n").length).toBe(1)
  })

  it("on a schema without a table ends with 1 and the database's error", async () => {
    const database = Redacted.value(await installation.postgres.createDatabase("damaged"))
    const first = await installation.serve({ database })
    first.child.kill("SIGTERM")
    expect(await first.ended).toBe(0)
    await installation.postgres.sql("drop table servers", "damaged")
    const host = launch(database)
    expect(await host.ended).toBe(1)
    expect(host.err()).toContain('The database refused a statement: relation "servers" does not exist')
  })
})

describe("a network that drops everything", () => {
  it("causes 503 while /healthz answers, and requests succeed when it is back", async () => {
    const proxy = await startFaultProxy(socketOf(installation.postgres))
    const host = await installation.serve({ database: through(proxy.port) })
    const { token } = await installation.person()
    expect((await ask(host.url, "GET", "/tags", { token })).status).toBe(200)
    proxy.set({ kind: "blackhole" })
    // Calls wait for some seconds; if the machine was stalled for as long, they are repeated.
    await until("health while calls wait", async () => {
      const calls = Array.from({ length: 30 }, (_, n) =>
        n % 2 === 0
          ? ask(host.url, "GET", "/tags", { token })
          : ask(host.url, "POST", "/lists", { token, body: { title: "x" } })
      )
      let answered = 0
      for (const call of calls) void call.then(() => answered++)
      const health = await ask(host.url, "GET", "//healthz")
      expect(health.status).toBe(200)
      const wereWaiting = answered < calls.length
      for (const { status } of await Promise.all(calls)) expect(status).toBe(503)
      return wereWaiting
    })
    proxy.set({ kind: "pass" })
    const again = await ask(host.url, "POST", "/lists", { token, body: { title: "y" } })
    expect(again.status).toBe(201)
    proxy.set({ kind: "latency", millis: 50 })
    expect((await ask(host.url, "GET", "/lists", { token })).status).toBe(200)
    host.child.kill("SIGKILL")
    await host.ended
    await proxy.close()
  })
})
