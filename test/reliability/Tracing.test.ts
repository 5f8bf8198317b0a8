import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ask } from "./Ask.ts"
import { openInstallation } from "./Installation.ts"

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: unknown }>
}

interface Resource {
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue: string } }>
}

/** A collector of traces and metrics in OpenTelemetry's protocol over HTTP with JSON. */
const startCollector = async () => {
  const received = {
    spans: [] as Array<Span>,
    units: new Map<string, string>(),
    resources: [] as Array<Record<string, string>>,
    text: ""
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      received.text += text
      const body = JSON.parse(text) as {
        readonly resourceSpans?: ReadonlyArray<{
          readonly resource: Resource
          readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
        }>
        readonly resourceMetrics?: ReadonlyArray<{ readonly resource: Resource }>
      }
      for (const { resource } of [...(body.resourceSpans ?? []), ...(body.resourceMetrics ?? [])])
        received.resources.push(
          Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]))
        )
      for (const { scopeSpans } of body.resourceSpans ?? [])
        for (const { spans } of scopeSpans) received.spans.push(...spans)
      if (request.url === "/v1/metrics")
        for (const [, name, unit] of text.matchAll(/"name":"(\w+)","description":"[^"]*","unit":"(\w*)"/g))
          received.units.set(name!, unit!)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve))
  }
}

const installation = await openInstallation()
const collector = await startCollector()
afterAll(async () => {
  await installation.close()
  await collector.stop()
})

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("receives traces from the client's span to the use case and statements, without texts or secrets", async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "my-lists",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=lists,service.instance.id=here,a.key=b",
      LAT_WORKERS: "2"
    }
    const host = await installation.serve({ env })
    const { token } = await installation.person()
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const made = await ask(host.url, "POST", "/lists", { token, headers, body: { title: "a secret title" } })
    expect(made.status).toBe(201)
    const missing = await ask(host.url, "POST", "/things", {
      token,
      headers,
      body: { text: "x", list: "another secret" }
    })
    expect(missing.status).toBe(404)

    const ofTrace = () => collector.received.spans.filter((span) => span.traceId === traceId)
    const named = (name: string) => ofTrace().find((span) => span.name === name)
    await until(
      "the spans of both requests",
      () => named("POST /api/v1/lists") !== undefined && named("POST /api/v1/things") !== undefined
    )
    const request = named("POST /api/v1/lists")!
    expect(request.parentSpanId).toBe("b7ad6b7169203331")
    const useCase = ofTrace().find((span) => span.name.startsWith("Lists.") && span.parentSpanId === request.spanId)
    expect(useCase?.name).toBe("Lists.create")
    const below = (span: Span): ReadonlyArray<Span> =>
      ofTrace().flatMap((each) => (each.parentSpanId === span.spanId ? [each, ...below(each)] : []))
    const statements = below(useCase!).filter((span) => span.name === "statement")
    expect(statements.length).toBeGreaterThan(0)
    const text = statements[0]!.attributes.find(({ key }) => key === "db.query.text")
    expect(JSON.stringify(text)).toMatch(/insert|begin|select/)
    const call = { name: "create_list", arguments: { title: "a secret title" } }
    const called = await fetch(`${host.url}/mcp`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call })
    })
    expect(called.status).toBe(200)
    await until("the spans of a tool", () => named("POST /mcp") !== undefined)
    const ofTool = below(named("POST /mcp")!).map((span) => span.name)
    expect(ofTool).toEqual(expect.arrayContaining(["Lists.create", "statement"]))
    // Pages and the calendar feed, whose URLs contain tokens and texts.
    for (const path of [
      "/reminders.ics?token=a-secret-token",
      "/search?query=a+secret+search",
      "/nowhere/a-secret-path"
    ])
      await fetch(`${host.url}${path}`, { headers })
    await until("their spans", () => named("GET /reminders.ics") !== undefined && named("GET (no route)") !== undefined)
    await until("metrics", () => collector.received.units.has("lat_http_request_duration_seconds"))
    const { units } = collector.received
    expect(
      ["lat_feed_waiters", "process_cpu_seconds_total", "lat_history_bytes"].map((name) => units.get(name))
    ).toEqual(["", "s", "By"])
    const { resources } = collector.received
    await until("the first worker", () => resources.some((each) => each["service.instance.id"] === "here.1"))
    for (const resource of resources) expect(resource).toMatchObject({ "service.name": "my-lists", "a.key": "b" })
    // The process that starts the workers, and the workers.
    for (const resource of resources) expect(resource["service.instance.id"]).toMatch(/^here(\.[12])?$/)
    for (const secret of ["secret title", "another secret", "secret-token", "secret-path", "secret+search", token])
      expect(collector.received.text).not.toContain(secret)
  })
})
