import { describe, expect } from "@effect/vitest"
import { middayZone } from "@lists-and-things/testing/Midday"
import { contract, listOf } from "./Given.ts"
import type { Client } from "./TestServer.ts"

const markdown = "# Trip\n\n- [ ] Pack\n  - [x] Socks – wool\n"

/** A document as the body itself. */
const send = (
  { ask }: Pick<Client, "ask">,
  path: string,
  text: string,
  headers: Readonly<Record<string, string>> = {}
): ReturnType<Client["ask"]> =>
  ask("POST", path, undefined, { text, headers: { "content-type": "text/markdown", ...headers } })

const textsOf = async ({ ask }: Client, id: string) =>
  (await ask("GET", `/lists/${id}`)).body.things.map(({ text, tabs, completed }: Record<string, unknown>) => [
    text,
    tabs,
    completed
  ])

describe("a body of text/markdown", () => {
  contract("POST /lists/import", (given) => {
    given("makes the list that the same document in JSON makes", async (client) => {
      const answer = await send(client, "/lists/import", markdown)
      expect(answer.status).toBe(201)
      expect(answer.body).toMatchObject({ list: { title: "Trip", emoji: "" }, created: 2, skipped: 0 })
      expect(answer.headers.get("etag")).not.toBeNull()
      expect(answer.headers.get("x-operation-id")).not.toBeNull()
      const json = await client.ask("POST", "/lists/import", { markdown })
      expect(await textsOf(client, answer.body.list.id)).toStrictEqual(await textsOf(client, json.body.list.id))
    })

    given("takes title and emoji from the query", async (client) => {
      const query = new URLSearchParams({ title: "Journey & more", emoji: "🚗" })
      const answer = await send(client, `/lists/import?${query}`, markdown)
      expect(answer.body.list).toMatchObject({ title: "Journey & more", emoji: "🚗" })
    })

    given("takes what was exported", async (client) => {
      const { body } = await send(client, "/lists/import", markdown)
      const out = await client.ask("GET", `/lists/${body.list.id}/markdown`)
      const again = await send(client, "/lists/import", out.body, {
        "content-type": out.headers.get("content-type")!
      })
      expect(await textsOf(client, again.body.list.id)).toStrictEqual(await textsOf(client, body.list.id))
    })

    given("is UTF-8, with or without saying so", async (client) => {
      for (const type of [
        "text/markdown",
        "Text/Markdown; charset=UTF-8",
        'text/markdown; charset="utf-8"; variant=GFM',
        "text/markdown; variant=CommonMark; charset=us-ascii"
      ]) {
        const answer = await send(client, "/lists/import", `\uFEFF${markdown}`, { "content-type": type })
        expect([type, answer.status, answer.body.list?.title]).toStrictEqual([type, 201, "Trip"])
      }
    })

    given("is refused in another charset, compressed, or as another type, which is told", async (client) => {
      const refusals: ReadonlyArray<readonly [Readonly<Record<string, string>>, RegExp]> = [
        [
          { "content-type": "text/markdown; charset=ISO-8859-1" },
          /^The body must be in UTF-8, not in "iso-8859-1": send it with Content-Type: text\/markdown; charset=utf-8\.$/
        ],
        [{ "content-encoding": "gzip" }, /must not be compressed/],
        [{ "content-type": "application/x-www-form-urlencoded" }, /JSON or markdown: .* Content-Type: text\/markdown/],
        [{ "content-type": "text/plain" }, /must be JSON or markdown/]
      ]
      for (const [headers, message] of refusals) {
        const answer = await send(client, "/lists/import", markdown, headers)
        expect(answer.status).toBe(415)
        expect(answer.body.error).toMatch(message)
      }
      expect((await client.ask("GET", "/lists")).body.lists).toStrictEqual([])
    })

    given("is refused when it is no text, which is told", async (client) => {
      const bytes = await fetch(`${client.url}/api/v1/lists/import`, {
        method: "POST",
        body: new Uint8Array([0x23, 0x20, 0xe9, 0x0a]),
        headers: { authorization: `Bearer ${client.token}`, "content-type": "text/markdown" }
      })
      expect(bytes.status).toBe(400)
      expect(await bytes.text()).toMatch(/The body must be valid UTF-8/)
      const refusals: ReadonlyArray<readonly [string, RegExp]> = [
        ["", /^The body is required and must be markdown\. For example # Groceries\n\n- \[ \] Oat milk\.$/],
        [" \n", /^The body is required and must be markdown/],
        ["a\u0000b", /^markdown must be text without U\+0000/],
        [
          "x".repeat(1_000_001),
          /^markdown must be at most 1,000,000 characters long, not "x+…" \(1,000,001 characters\)/
        ],
        ["- x\n".repeat(20_001), /^markdown must bring at most 20,000 things/]
      ]
      for (const [text, message] of refusals) {
        const answer = await send(client, "/lists/import", text)
        expect(answer.status).toBe(400)
        expect(answer.body.error).toMatch(message)
      }
      expect((await send(client, "/lists/import", "x".repeat(10 * 1024 * 1024 + 1))).status).toBe(413)
      expect((await client.ask("GET", "/lists")).body.lists).toStrictEqual([])
    })

    given("has its other fields refused by the rules of the JSON body, as the query writes them", async (client) => {
      const refusals: ReadonlyArray<readonly [string, RegExp]> = [
        ["title=%20", /^title must be text that is not blank, not " "\. For example title=Groceries\.$/],
        [`title=${"x".repeat(1_001)}`, /^title must be at most 1,000 characters long/],
        ["title=a&title=b", /^title must be given only once/],
        ["titel=a", /^titel is not a known query parameter: did you mean title\?/],
        ["markdown=a", /^markdown is not a known query parameter: known are dry_run, title, emoji\.$/]
      ]
      for (const [query, message] of refusals) {
        const answer = await send(client, `/lists/import?${query}`, markdown)
        expect(answer.status).toBe(400)
        expect(answer.body.error).toMatch(message)
      }
    })

    given("leaves the query of a JSON body to dry_run", async ({ ask }) => {
      const answer = await ask("POST", "/lists/import?title=a", { markdown })
      expect(answer.status).toBe(400)
      expect(answer.body.error).toBe(
        'title belongs in the JSON body: it is a query parameter only beside a body of text/markdown. For example "title": "Groceries".'
      )
    })

    given("runs dry, and has one effect under one key", async (client) => {
      const dry = await send(client, "/lists/import?dry_run=true", markdown)
      expect(dry.status).toBe(200)
      expect(dry.body).toMatchObject({ dry_run: true, counts: { lists: 1, things: 2 } })
      const key = { "idempotency-key": "trip-1" }
      const [one, two] = [
        await send(client, "/lists/import?title=T", markdown, key),
        await send(client, "/lists/import?title=T", markdown, key)
      ]
      expect(two.body).toStrictEqual(one.body)
      expect((await send(client, "/lists/import?title=T", `${markdown}- more\n`, key)).status).toBe(422)
      expect((await send(client, "/lists/import?title=U", markdown, key)).status).toBe(422)
      expect((await client.ask("GET", "/lists")).body.lists).toHaveLength(1)
    })

    given("needs the scope", async (client, server) => {
      const reader = await server.client({ accountOf: client, scopes: ["read:lists"] })
      expect((await send(reader, "/lists/import", markdown)).status).toBe(403)
    })
  })

  contract("POST /things/markdown", (given) => {
    given("goes to the list that the query names, by id or by name", async (client) => {
      const { id } = await listOf(client, ["Tent"], { title: "Camping" })
      const byId = await send(client, `/things/markdown?list_id=${id}`, "- Stove\n")
      expect(byId.status).toBe(201)
      expect(byId.body).toMatchObject({ created: 1, skipped: 0, by_list: [{ list_id: id, created: 1 }] })
      await send(client, "/things/markdown?list=camping", "- Mat\n")
      const things = (await client.ask("GET", `/lists/${id}`)).body.things
      expect(things.map(({ text }: { readonly text: string }) => text)).toStrictEqual(["Tent", "Stove", "Mat"])
    })

    given(
      "goes to today without a target",
      async (client) => {
        const { body } = await send(client, "/things/markdown", "- [ ] Call the bank\n")
        const today = await client.ask("GET", "/today")
        expect(body.by_list).toMatchObject([{ list_id: today.body.list.id, created: 1 }])
      },
      { settings: { timezone: middayZone } }
    )

    given("skips duplicates where it is asked to", async (client) => {
      const { id } = await listOf(client, ["Tent"])
      const answer = await send(client, `/things/markdown?list_id=${id}&skip_duplicates=true`, "- Tent\n- Mat\n")
      expect(answer.body).toMatchObject({ created: 1, skipped: 1 })
      expect(answer.headers.get("x-notice")).toMatch(/a duplicate/)
      const wrong = await send(client, `/things/markdown?list_id=${id}&skip_duplicates=yes`, "- Tent\n")
      expect([wrong.status, wrong.body.error]).toStrictEqual([
        400,
        'skip_duplicates must be one of "true", "false", not "yes". For example skip_duplicates=true.'
      ])
    })

    given("is refused for an unknown target, and for two", async (client) => {
      const { id } = await listOf(client, [])
      expect((await send(client, "/things/markdown?list=nowhere", "- a\n")).status).toBe(400)
      expect((await send(client, `/things/markdown?list=today&list_id=${id}`, "- a\n")).status).toBe(400)
      expect((await client.ask("GET", "/things")).body.things).toStrictEqual([])
    })
  })

  contract("any other operation", (given) => {
    given("takes JSON alone", async (client) => {
      const answer = await send(client, "/things", "- a\n")
      expect([answer.status, answer.body.error]).toStrictEqual([
        415,
        "The body must be JSON: send it with Content-Type: application/json."
      ])
    })
  })
})
