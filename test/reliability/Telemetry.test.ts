import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gauges, totals } from "@lists-and-things/telemetry/Metrics"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ask, json } from "./Ask.ts"
import { type Host, launch, openInstallation } from "./Installation.ts"

const installation = await openInstallation()
afterAll(() => installation.close())

const pageAt = async (host: Host): Promise<string> => {
  await until("the address of the metrics", () => /Metrics are at/.test(host.err()))
  const [, url] = /Metrics are at (http:\/\/[\d.:]+\/metrics)/.exec(host.err())!
  return (await fetch(url!)).text()
}

const lookedUp = () => Object.values({ ...gauges, ...totals }).map(({ id }) => id)

const lineOf = (page: string, start: string) => page.split("\n").find((line) => line.startsWith(start))

describe("LAT_METRICS_PORT", () => {
  it("serves the counts of answers by route, method and status class, and no id, text or address", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_PORT: "0" } })
    const { accountId, token } = await installation.person({ rateLimit: 4 })
    const made = await ask(host.url, "POST", "/lists", { token, body: { title: "a secret title" } })
    const { id } = json<{ readonly list: { readonly id: string } }>(made).list
    await ask(host.url, "GET", `/lists/${id}`, { token })
    await ask(host.url, "GET", "/nothing-of-the-kind", { token })
    await ask(host.url, "BREW" as "GET", "/lists", { token })
    for (let n = 0; n < 3; n++) await ask(host.url, "GET", "/lists", { token })
    const page = await pageAt(host)
    const count = (labels: string) =>
      Number(lineOf(page, `lat_http_request_duration_seconds_count{${labels}}`)?.split(" ").at(-1))
    expect(count('method="POST",route="/api/v1/lists",status="2xx"')).toBe(1)
    expect(count('method="GET",route="/api/v1/lists/:id",status="2xx"')).toBe(1)
    expect(count('method="GET",route="unmatched",status="4xx"')).toBe(1)
    expect(count('method="GET",route="/api/v1/lists",status="4xx"')).toBe(2)
    expect(lineOf(page, "lat_rate_limit_refusals_total")).toBe("lat_rate_limit_refusals_total 2")
    for (const name of [
      "lat_database_connections",
      "lat_database_connections_busy",
      "lat_database_waiting",
      "lat_database_refused_total",
      "lat_feed_waiters",
      "lat_webhook_backlog",
      "lat_webhook_backlog_age_seconds",
      "lat_history_bytes",
      "lat_history_age_seconds",
      "lat_event_loop_delay_p99_seconds",
      "process_resident_memory_bytes",
      "process_cpu_seconds_total"
    ])
      expect(lineOf(page, `${name} `), name).toMatch(/ [\d.e-]+$/)
    expect(Number(lineOf(page, "lat_database_connections ")!.split(" ")[1])).toBeGreaterThan(0)
    expect(Number(lineOf(page, "lat_history_bytes ")!.split(" ")[1])).toBeGreaterThan(0)
    for (const [, name, type] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      expect([name, type === "counter"]).toStrictEqual([name, name!.endsWith("_total")])
    for (const secret of [id, accountId, token, "secret title", "127.0.0.1"]) expect(page).not.toContain(secret)
  })

  it("serves the number of requests that wait for changes", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_PORT: "0" } })
    const { token } = await installation.person()
    const waiting = async () => lineOf(await pageAt(host), "lat_feed_waiters ")
    expect(await waiting()).toBe("lat_feed_waiters 0")
    const ended = [1, 2].map(() => ask(host.url, "GET", "/changes?cursor=now&wait=55", { token }))
    await until("both wait", async () => (await waiting()) === "lat_feed_waiters 2")
    await ask(host.url, "POST", "/lists", { token, body: { title: "what is waited for" } })
    await Promise.all(ended)
    expect(await waiting()).toBe("lat_feed_waiters 0")
  })

  it("serves only /metrics, which is not on the main port", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_PORT: "0" } })
    await pageAt(host)
    const [, base] = /Metrics are at (http:\/\/[\d.:]+)\/metrics/.exec(host.err())!
    expect((await fetch(`${base!}/healthz`)).status).toBe(404)
    expect((await fetch(`${base!}/metrics`, { method: "POST" })).status).toBe(405)
    expect((await fetch(`${host.url}/metrics`)).status).toBe(404)
  })

  it("serves one page with the metrics of all workers", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_PORT: "0", LAT_WORKERS: "2", LAT_LOG: "debug" } })
    await until("two workers", () => host.err().match(/Worker \d+ answers/g)?.length === 2)
    await until("both pages", async () => {
      const page = await pageAt(host)
      return page.includes('{worker="1"') && page.includes('{worker="2"')
    })
  })
})

describe("the dashboard", () => {
  it("queries only metrics that exist", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_PORT: "0" } })
    const page = await pageAt(host)
    const dashboard = readFileSync(join(import.meta.dirname, "../../deploy/grafana-dashboard.json"), "utf8")
    const names = new Set([...dashboard.matchAll(/(?:lat|process)_[a-z0-9_]+/g)].map(([name]) => name))
    expect(names.size).toBeGreaterThan(10)
    const declared = [...lookedUp(), "lat_http_request_duration_seconds", "lat_tool_duration_seconds"]
    for (const name of names) {
      const family = name.replace(/_(?:bucket|count|sum)$/, "")
      expect([...declared, "lat_rate_limit_refusals_total"], name).toContain(family)
    }
    for (const name of lookedUp()) expect(page).toContain(`# TYPE ${name} `)
  })
})

describe("LAT_METRICS_TOKEN", () => {
  it("opens /metrics on the main port to clients that send the token", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_TOKEN: "let-me-see" } })
    const get = (token?: string) =>
      fetch(`${host.url}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
    expect((await get()).status).toBe(401)
    expect((await get("let-me-se")).status).toBe(401)
    expect((await get("wrong")).headers.get("www-authenticate")).toBe('Bearer realm="metrics"')
    const allowed = await get("let-me-see")
    expect([allowed.status, allowed.headers.get("content-type")]).toStrictEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8"
    ])
    expect(await allowed.text()).toContain("lat_http_request_duration_seconds_count")
  })

  it("counts calls of tools by name", async () => {
    const host = await installation.serve({ env: { LAT_METRICS_TOKEN: "let-me-see" } })
    const { token } = await installation.person()
    const call = (name: string, args: object) =>
      fetch(`${host.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream"
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
      }).then((answer) => answer.text())
    await call("get_today", {})
    await call("get_list", { id: "nothing" })
    const page = await (await fetch(`${host.url}/metrics`, { headers: { authorization: "Bearer let-me-see" } })).text()
    expect(lineOf(page, 'lat_tool_duration_seconds_count{tool="get_today",outcome="ok"}')).toMatch(/ 1$/)
    expect(lineOf(page, 'lat_tool_duration_seconds_count{tool="get_list",outcome="refused"}')).toMatch(/ 1$/)
  })
})

describe("the log", () => {
  it("has a line for each request at debug, without ids and texts, and none at info", async () => {
    const { token } = await installation.person()
    const loud = await installation.serve({ env: { LAT_LOG: "debug" } })
    const quiet = await installation.serve()
    const secret = "0190a1b2-0000-7000-8000-000000000000"
    for (const { url } of [loud, quiet]) {
      const answer = await fetch(`${url}/api/v1/things/${secret}?q=${secret}`, {
        headers: { authorization: `Bearer ${token}`, "x-request-id": "request-7" }
      })
      expect(answer.status).toBe(404)
    }
    await until("the line", () => loud.err().includes("request-7"))
    const line = loud
      .err()
      .split("\n")
      .find((each) => each.includes("request-7"))!
    expect((JSON.parse(line) as { readonly message: string }).message).toMatch(
      /^GET \/api\/v1\/things\/:id 404 \d+ ms, request request-7 of 127\.0\.0\.1$/
    )
    expect(loud.err()).not.toContain(secret)
    expect(quiet.err()).not.toContain("request-7")
  })

  it("has a line for each request and statement that takes at least LAT_SLOW_MS", async () => {
    const host = await installation.serve({ env: { LAT_SLOW_MS: "1" } })
    const { token } = await installation.person()
    await until("a slow request and a slow statement", async () => {
      await ask(host.url, "POST", "/lists", { token, body: { title: "a secret title" } })
      return (
        /Slow request: POST \/api\/v1\/lists 201 \d+ ms, request /.test(host.err()) &&
        /Slow statement: \d+ ms, /.test(host.err())
      )
    })
    expect(host.err()).not.toContain("a secret title")
  })

  it("names a malformed variable in one line", async () => {
    const host = launch("", { LAT_METRICS_PORT: "many" })
    expect(await host.ended).toBe(1)
    expect(
      host
        .err()
        .split("\n")
        .filter((line) => !line.startsWith("{"))
        .join("\n")
    ).toBe(
      'LAT_METRICS_PORT: expected a whole number from 0 to 65535, not "many", for instance LAT_METRICS_PORT=9464\n'
    )
  })
})
