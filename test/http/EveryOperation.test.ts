import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { scopes, scopesOf } from "@lists-and-things/domain/model/Scope"
import { document } from "./AnswerSchemas.ts"
import { Breaker } from "./BreakableStorage.ts"
import { type Call, type Fixture, fixture, type OperationCase, operations } from "./Operations.ts"
import { type Client, type RequestOptions, serverLayer, type TestServer, testServer } from "./TestServer.ts"

/** Each operation of the contract, with each status that it can answer. `docs/coverage.md` is written from this. */
layer(serverLayer, { excludeTestServices: true })("every operation", (it) => {
  interface Given {
    readonly server: TestServer
    readonly client: Client
    readonly on: Fixture
  }
  const given = (name: string, run: (of: Given) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(testServer, (server) =>
        Effect.promise(async () => {
          const client = await server.client()
          await run({ server, client, on: await fixture(client) })
        })
      )
    )
  const call = (
    client: Client,
    of: OperationCase,
    on: Fixture,
    with_: Partial<Call> = {},
    options: RequestOptions = {}
  ) => {
    const { body, path } = { ...of.good, ...with_ }
    return client.ask(of.method, path(on), body?.(on), options)
  }
  const hasBody = (of: OperationCase) => of.good.body !== undefined
  const isWrite = (of: OperationCase) => of.method !== "GET"

  for (const [id, of] of Object.entries(operations)) {
    describe(id, () => {
      given(`${of.success}: succeeds, and counts against the key`, async ({ client, on }) => {
        const before = await client.ask("GET", "/tags")
        const answer = await call(client, of, on)
        expect(answer.status).toBe(of.success)
        const left = (headers: Headers) => Number(headers.get("x-ratelimit-remaining"))
        expect(left(answer.headers)).toBe(left(before.headers) - 1)
        expect(answer.headers.get("x-ratelimit-limit")).toBe("1000")
        const told = Date.parse(answer.headers.get("date") ?? "")
        expect(Number(answer.headers.get("x-ratelimit-reset"))).toBeGreaterThanOrEqual(told / 1000)
      })

      const { bad, unknown } = of
      if (bad !== undefined) {
        given("400: what is malformed", async ({ client, on }) => {
          const answer = await call(client, of, on, bad)
          expect(answer.status).toBe(400)
          expect(answer.headers.get("x-ratelimit-remaining")).not.toBeNull()
        })
      }
      if (hasBody(of)) {
        given("400: a body that is not JSON", async ({ client, on }) => {
          expect((await call(client, of, on, {}, { text: "{" })).status).toBe(400)
          expect((await call(client, of, on, {}, { text: "" })).status).toBe(400)
          expect((await call(client, of, on, {}, { text: "[]" })).status).toBe(400)
        })
      }
      if (unknown !== undefined) {
        given("404: what is unknown, before what is malformed", async ({ client, on }) => {
          expect((await call(client, of, on, unknown)).status).toBe(404)
          const malformed =
            bad === undefined ? {} : id === "createThing" || id === "fetchDocument" ? {} : { body: bad.body }
          expect((await call(client, of, on, { ...malformed, ...unknown } as Partial<Call>)).status).toBe(404)
        })
        given("404: what is somebody else's, exactly like what is unknown", async ({ client, on, server }) => {
          const stranger = await server.client()
          const foreign = await stranger.ask(of.method, of.good.path(on), of.good.body?.(on))
          expect(foreign.status).toBe(404)
          // The id that was sent is repeated; every other word is the same.
          const words = (body: unknown) => JSON.stringify(body).replaceAll(/'[^']*'/g, "an id")
          expect(words(foreign.body)).toBe(words((await call(client, of, on, unknown)).body))
        })
      }

      given("401: without a valid key, alike for every reason", async ({ client, on }) => {
        const tokens = [
          null,
          "",
          "nonsense",
          client.token.slice(0, -1),
          `${client.token}x`,
          client.token.replace("lat_", "LAT_")
        ]
        const answers = []
        for (const token of tokens) answers.push(await call(client, of, on, {}, { token }))
        for (const answer of answers) {
          expect(answer.status).toBe(401)
          expect(answer.body).toStrictEqual(answers[0]!.body)
          expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
        }
      })

      given("403: without the scope, before anything about the request", async ({ client, on, server }) => {
        const required = scopesOf(of.scope)
        for (const missing of required) {
          const others = scopes.filter((scope) => scope !== missing)
          const without = await server.client({ accountOf: client, scopes: others })
          const answer = await call(without, of, on, unknown ?? {}, hasBody(of) ? { text: "{" } : {})
          expect(answer.status).toBe(403)
          expect(answer.body.error).toContain(missing)
          expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
        }
        const only = await server.client({ accountOf: client, scopes: required })
        expect((await call(only, of, on)).status).toBe(of.success)
      })

      given("429: beyond the limit, without counting or doing anything", async ({ client, on, server }) => {
        const limited = await server.client({ accountOf: client, rateLimit: 1 })
        expect((await limited.ask("GET", "/tags")).headers.get("x-ratelimit-remaining")).toBe("0")
        const answer = await call(limited, of, on)
        expect(answer.status).toBe(429)
        expect(answer.headers.get("x-ratelimit-limit")).toBe("1")
        expect(answer.headers.get("x-ratelimit-remaining")).toBe("0")
        const wait = Number(answer.headers.get("retry-after"))
        expect(Number.isInteger(wait) && wait > 0 && wait <= 3600).toBe(true)
        expect((await client.ask("GET", `/things/${on.thingId}`)).status).toBe(200)
      })

      if (isWrite(of)) {
        given("413: a body over 10 MiB", async ({ client, on }) => {
          const answer = await call(client, of, on, {}, { text: `{"a":"${"x".repeat(10 * 1024 * 1024)}"}` })
          expect(answer.status).toBe(413)
        })
        given("410: a repetition whose answer is no longer kept", async ({ client, on, server }) => {
          const headers = { "idempotency-key": `key-${id}` }
          expect((await call(client, of, on, {}, { headers })).status).toBe(of.success)
          const records = Context.get(server.context, IdempotencyStore)
          await Effect.runPromise(records.dropAnswers(client.accountId as AccountId, 0))
          const again = await call(client, of, on, {}, { headers })
          expect([again.status, again.body.error]).toStrictEqual([
            410,
            expect.stringMatching(/^This write was done when its key was first used\b.*, and is not repeated\./)
          ])
        })
        given("422: an Idempotency-Key of another request; 400: one that is none", async ({ client, on }) => {
          const headers = { "idempotency-key": `key-${id}` }
          const first = await call(client, of, on, {}, { headers })
          const again = await call(client, of, on, {}, { headers })
          expect([first.status, again.status]).toStrictEqual([of.success, of.success])
          expect(again.body).toStrictEqual(first.body)
          expect((await client.ask("POST", "/lists", { title: "Another" }, { headers })).status).toBe(422)
          const broken = { headers: { "idempotency-key": "two words" } }
          expect((await call(client, of, on, {}, broken)).status).toBe(400)
          // The preview is no write, and ignores a parameter that it does not have.
          if (id === "previewReminder") return
          const misspelt = await call(client, of, on, { path: () => `${of.good.path(on)}?dry-run=true` }, { headers })
          expect([misspelt.status, misspelt.body.error]).toStrictEqual([
            400,
            expect.stringMatching(/^dry-run is not a known query parameter: /)
          ])
        })
      }
      if (isWrite(of)) {
        given("415: a body that is not JSON by its own account, or compressed", async ({ client, on }) => {
          for (const headers of [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }] as ReadonlyArray<
            Record<string, string>
          >) {
            const text = hasBody(of) ? {} : { text: "{}" }
            expect((await call(client, of, on, {}, { headers, ...text })).status).toBe(415)
          }
        })
      }
      if (isWrite(of) && !hasBody(of)) {
        given("400: a body that asks for something, with nothing done; 2xx: an empty one", async ({ client, on }) => {
          const told = [
            ['{"dry_run":true}', /^dry_run is not a known field: this operation takes no body/],
            ['{"text":"x"}', /^text is not a known field: this operation takes no body/],
            ["[1]", /^The body must be left out/],
            ["{", /^The body must be valid JSON/]
          ] as const
          for (const [text, error] of told) {
            const answer = await call(client, of, on, {}, { text })
            expect([text, answer.status, answer.body.error]).toStrictEqual([text, 400, expect.stringMatching(error)])
            expect(answer.headers.get("x-operation-id")).toBeNull()
          }
          expect((await call(client, of, on, {}, { text: "{}" })).status).toBe(of.success)
        })
      }

      given("500 and 503: a storage that breaks or is away, without internals", async ({ client, on, server }) => {
        const breaker = Context.get(server.context, Breaker)
        const expectations = [
          ["faulty", 500],
          ["away", 503],
          ["keys away", 503]
        ] as const
        for (const [state, status] of expectations) {
          breaker.state = state
          const answer = await call(client, of, on)
          breaker.state = "whole"
          // A preview reads nothing but the request.
          if (id === "previewReminder" && state !== "keys away") continue
          expect([state, answer.status]).toStrictEqual([state, status])
          expect(answer.body.error).not.toMatch(/secrets|select/)
          if (status === 503) expect(answer.headers.get("retry-after")).toBe("1")
          else expect(answer.body.error).toContain(answer.headers.get("x-request-id"))
        }
        expect((await client.ask("GET", `/things/${on.thingId}`)).status).toBe(200)
      })
    })
  }

  given("the cases are all the operations that there are", async () => {
    const described = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId)
    )
    expect(Object.keys(operations).toSorted()).toStrictEqual(described.toSorted())
  })
})
