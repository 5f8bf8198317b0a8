import { expect } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Places } from "@lists-and-things/domain/places/Places"
import { Effect } from "effect"
import { asOwnerOf, type Given, listOf } from "./Given.ts"
import type { Client } from "./TestServer.ts"

const tagOf = async (client: Client, path: string): Promise<string> =>
  (await client.ask("GET", path)).headers.get("etag")!

const nobody = "0199f0c2-7a51-7c3e-9d1b-000000000000"
const daily = { at: "2099-01-05T09:00:00Z", repeat: "daily" }

/** Entity tags, and requests that depend on them: see docs/decisions.md#preconditions. */
export const preconditionTests = (given: Given): void => {
  given("every write of a thing, its reminder or a list answers the tag that its GET has then", async (client) => {
    const made = await client.ask("POST", "/lists", { title: "Groceries", things: [{ text: "Milk" }] })
    const list = `/lists/${made.body.list.id}`
    expect(made.headers.get("etag")).toBe(await tagOf(client, list))
    const imported = await client.ask("POST", "/lists/import", { markdown: "# T\n- a\n" })
    expect(imported.headers.get("etag")).toBe(await tagOf(client, `/lists/${imported.body.list.id}`))
    const renamed = await client.ask("PATCH", list, { title: "Shopping" })
    expect(renamed.headers.get("etag")).toBe(await tagOf(client, list))
    const added = await client.ask("POST", "/things", { list_id: made.body.list.id, text: "Water the plants" })
    const thing = `/things/${added.body.thing.id}`
    expect(added.headers.get("etag")).toBe(await tagOf(client, thing))
    const writes = [
      ["PATCH", thing, { text: "Water all plants", tags: ["home"] }],
      ["PUT", `${thing}/reminder`, daily],
      ["PATCH", thing, { note: "Twice" }],
      ["PATCH", thing, {}],
      ["PATCH", thing, { completed: true }],
      ["DELETE", `${thing}/reminder`, undefined],
      ["DELETE", `${thing}/reminder`, undefined],
      ["PUT", `${thing}/reminder`, { at: "2099-01-05T09:00:00Z" }],
      ["PATCH", thing, { completed: true }]
    ] as const
    for (const [method, path, body] of writes) {
      const answer = await client.ask(method, path, body)
      expect(answer.headers.get("etag"), `${method} ${path}`).toBe(await tagOf(client, thing))
    }
    await client.ask("PUT", `${thing}/reminder`, daily)
    const copy = await client.ask("POST", "/things", { list_id: made.body.list.id, clone_of: added.body.thing.id })
    expect(copy.headers.get("etag")).toBe(await tagOf(client, `/things/${copy.body.thing.id}`))
  })

  given("a tag changes with what its GET answers, and with nothing else", async (client) => {
    const { id, ids } = await listOf(client, ["Milk", "Bread"])
    const other = await listOf(client, ["Nails"])
    const milk = `/things/${ids[0]}`
    const [list, thing] = [await tagOf(client, `/lists/${id}`), await tagOf(client, milk)]
    await client.ask("PATCH", `/things/${other.ids[0]}`, { text: "Screws" })
    expect(await tagOf(client, `/lists/${id}`)).toBe(list)
    await client.ask("PATCH", `/things/${ids[1]}`, { completed: true })
    expect(await tagOf(client, milk)).toBe(thing)
    expect(await tagOf(client, `/lists/${id}`)).not.toBe(list)
    const shown = ["", "?max_text=2", "?max_text=3"].map((query) => tagOf(client, `/lists/${id}${query}`))
    expect(new Set(await Promise.all(shown)).size).toBe(3)
    await client.ask("PUT", `${milk}/reminder`, daily)
    expect(await tagOf(client, milk)).not.toBe(thing)
  })

  given("the tag of a list changes with settings and places, which its reminders show", async (client, server) => {
    const { id } = await listOf(client, ["Milk"])
    const asOwner = asOwnerOf(client, server)
    const tags = [await tagOf(client, `/lists/${id}`)]
    await asOwner(Effect.flatMap(Places, (places) => places.save({ name: "Shop", latitude: 1, longitude: 2 })))
    tags.push(await tagOf(client, `/lists/${id}`))
    await asOwner(Effect.flatMap(Accounts, (accounts) => accounts.update(client.accountId, { timezone: "Asia/Tokyo" })))
    tags.push(await tagOf(client, `/lists/${id}`))
    expect(new Set(tags).size).toBe(3)
    const headers = { "if-match": tags[1]! }
    expect((await client.ask("PATCH", `/lists/${id}`, { title: "T" }, { headers })).status).toBe(412)
    const current = { headers: { "if-match": tags[2]! } }
    expect((await client.ask("PATCH", `/lists/${id}`, { title: "T" }, current)).status).toBe(200)
  })

  given("a read with the current tag in If-None-Match is a 304, which counts against the limit", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    for (const path of [`/lists/${id}`, `/things/${ids[0]}`, "/lists", "/things", "/tags", "/things?max_text=2"]) {
      const first = await client.ask("GET", path)
      const etag = first.headers.get("etag")!
      expect(etag, path).toMatch(/^(W\/)?"[^"]+"$/)
      const again = await client.ask("GET", path, undefined, { headers: { "if-none-match": `"x", ${etag}` } })
      expect([again.status, again.body, again.headers.get("etag")], path).toStrictEqual([304, undefined, etag])
      const left = (headers: Headers) => Number(headers.get("x-ratelimit-remaining"))
      expect(left(again.headers)).toBe(left(first.headers) - 1)
      const weak = { headers: { "if-none-match": `W/${etag.replace(/^W\//, "")}` } }
      expect((await client.ask("GET", path, undefined, weak)).status).toBe(304)
      expect((await client.ask("GET", path, undefined, { headers: { "if-none-match": "*" } })).status).toBe(304)
      const head = await client.ask("HEAD", path, undefined, { headers: { "if-none-match": etag } })
      expect(head.status).toBe(304)
      const other = await client.ask("GET", path, undefined, { headers: { "if-none-match": '"x", no tag' } })
      expect([other.status, other.body], path).toStrictEqual([200, first.body])
    }
    for (const path of ["/lists", "/things", "/tags"]) {
      const etag = await tagOf(client, path)
      await client.ask("PATCH", `/things/${ids[0]}`, { text: `Milk for ${path}` })
      expect((await client.ask("GET", path, undefined, { headers: { "if-none-match": etag } })).status).toBe(200)
    }
  })

  given("If-Match: a write is made while the tag holds, and refused with the new one after", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    const [list, thing] = [`/lists/${id}`, `/things/${ids[0]}`]
    const writes = [
      ["PATCH", thing, thing, { text: "Oat milk" }],
      ["PUT", `${thing}/reminder`, thing, daily],
      ["DELETE", `${thing}/reminder`, thing, undefined],
      ["PATCH", list, list, { title: "Groceries" }],
      ["DELETE", thing, thing, undefined],
      ["DELETE", list, list, undefined]
    ] as const
    for (const [method, path, subject, body] of writes) {
      const what = `${method} ${path}`
      const before = await client.ask("GET", subject)
      const etag = before.headers.get("etag")!
      const refused = await client.ask(method, path, body, { headers: { "if-match": '"old"' } })
      expect([refused.status, refused.headers.get("etag")], what).toStrictEqual([412, etag])
      const weak = await client.ask(method, path, body, { headers: { "if-match": `W/${etag}` } })
      expect(weak.status, what).toBe(412)
      expect(weak.body, what).toStrictEqual({
        error: `A weak entity tag never matches: repeat the request with If-Match: ${etag}, without W/.`
      })
      expect((await client.ask("GET", subject)).body, what).toStrictEqual(before.body)
      const made = await client.ask(method, path, body, { headers: { "if-match": `"old" , ${etag}` } })
      expect(made.status, what).toBe(200)
      expect(made.headers.get("x-operation-id"), what).not.toBeNull()
    }
  })

  given("If-Match: * is made when the subject exists", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    const any = { headers: { "if-match": "*" } }
    expect((await client.ask("PATCH", `/things/${ids[0]}`, { text: "Oat milk" }, any)).status).toBe(200)
    expect((await client.ask("DELETE", `/things/${ids[0]}/reminder`, undefined, any)).status).toBe(200)
    expect((await client.ask("DELETE", `/things/${ids[0]}`, undefined, any)).status).toBe(200)
    expect((await client.ask("PATCH", `/lists/${id}`, { title: "Groceries" }, any)).status).toBe(200)
    for (const match of ["*", '"old"']) {
      const headers = { "if-match": match }
      const status = async (method: "PATCH" | "PUT" | "DELETE", path: string, body?: object) => {
        const answer = await client.ask(method, path, body, { headers })
        expect(answer.headers.get("etag")).toBeNull()
        return answer.status
      }
      expect(await status("PATCH", `/things/${ids[0]}`, { text: "Tea" })).toBe(404)
      expect(await status("PUT", `/things/${nobody}/reminder`, daily)).toBe(404)
      expect(await status("PATCH", `/lists/${nobody}`, { title: "T" })).toBe(404)
      expect(await status("DELETE", `/things/${ids[0]}`)).toBe(412)
      expect(await status("DELETE", `/things/${ids[0]}/reminder`)).toBe(412)
      expect(await status("DELETE", `/lists/${nobody}`)).toBe(412)
    }
  })

  given("the order of checks: malformed, replay, existence, precondition, rules", async (client) => {
    const { ids } = await listOf(client, ["Milk"])
    const thing = `/things/${ids[0]}`
    const stale = { "if-match": '"old"' }
    expect((await client.ask("PATCH", thing, { text: 1 }, { headers: stale })).status).toBe(400)
    for (const header of ["", "old", '"a" "b"', '*, "a"', '"a'])
      expect((await client.ask("PATCH", thing, {}, { headers: { "if-match": header } })).status, header).toBe(400)
    expect((await client.ask("PATCH", thing, {}, { headers: { "if-match": "old" } })).body).toEqual({
      error: 'If-Match must be * or entity tags in quotation marks, not "old". For example "5Xn_wQc0mavlJxkEtNgElA".'
    })
    const broken = { header: true, subheader: true }
    expect((await client.ask("PATCH", thing, broken)).status).toBe(400)
    expect((await client.ask("PATCH", thing, broken, { headers: stale })).status).toBe(412)
    const etag = await tagOf(client, thing)
    expect((await client.ask("PATCH", thing, broken, { headers: { "if-match": etag } })).status).toBe(400)

    const reminder = `/things/${nobody}/reminder`
    for (const headers of [stale, { "if-match": "*" }, { "idempotency-key": "order" }]) {
      const status = async (method: "PATCH" | "PUT", path: string, body: object) =>
        (await client.ask(method, path, body, { headers })).status
      expect(await status("PATCH", `/things/${nobody}`, { text: 1 })).toBe(400)
      expect(await status("PATCH", `/things/${nobody}`, broken)).toBe(404)
      expect(await status("PATCH", `/lists/${nobody}`, { title: " " })).toBe(400)
      expect(await status("PUT", reminder, { at: "soon" })).toBe(400)
      expect(await status("PUT", reminder, { ...daily, end: daily.at })).toBe(404)
    }
    expect((await client.ask("PATCH", `/things/${nobody}`, { text: 1 })).status).toBe(404)

    const keyed = (headers: Record<string, string>, body: object = { text: "Tea" }) =>
      client.ask("PATCH", thing, body, { headers: { "idempotency-key": "k", ...headers } })
    expect((await keyed({})).status).toBe(200)
    expect((await client.ask("DELETE", thing)).status).toBe(200)
    expect((await keyed(stale)).status).toBe(200)
    expect((await keyed({ "if-match": "old" })).status).toBe(400)
    expect((await keyed(stale, { text: 1 })).status).toBe(400)
    expect((await keyed(stale, { text: "Coffee" })).status).toBe(422)
  })

  given("a precondition is not part of the request that an Idempotency-Key identifies", async (client) => {
    const { ids } = await listOf(client, ["Milk"])
    const thing = `/things/${ids[0]}`
    const once = (match: string, text = "Oat milk") =>
      client.ask("PATCH", thing, { text }, { headers: { "idempotency-key": "k", "if-match": match } })
    expect((await once('"old"')).status).toBe(412)
    const etag = await tagOf(client, thing)
    const first = await once(etag)
    expect([first.status, first.headers.get("etag")]).toStrictEqual([200, await tagOf(client, thing)])
    const again = await once('"another"')
    expect([again.status, again.headers.get("etag"), again.body]).toStrictEqual([200, null, first.body])
    expect(again.headers.get("x-operation-id")).toBe(first.headers.get("x-operation-id"))
    expect((await once(etag, "Soy milk")).status).toBe(422)
  })

  given("of concurrent writes under one tag, one succeeds", async (client) => {
    const { id, ids } = await listOf(client, ["0"])
    const etag = await tagOf(client, `/things/${ids[0]}`)
    const race = Array.from({ length: 8 }, (_, n) =>
      client.ask("PATCH", `/things/${ids[0]}`, { text: `${n + 1}` }, { headers: { "if-match": etag } })
    )
    const statuses = (await Promise.all(race)).map(({ status }) => status)
    expect(statuses.toSorted()).toStrictEqual([200, ...Array.from({ length: 7 }, () => 412)])
    const list = await tagOf(client, `/lists/${id}`)
    const both = [client.ask("PATCH", `/lists/${id}`, { title: "a" }, { headers: { "if-match": list } })]
    both.push(client.ask("PATCH", `/lists/${id}`, { title: "b" }, { headers: { "if-match": list } }))
    expect((await Promise.all(both)).map(({ status }) => status).toSorted()).toStrictEqual([200, 412])
  })
}
