import { expect } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Places } from "@lists-and-things/domain/places/Places"
import { Effect } from "effect"
import { asOwnerOf, type Given } from "./Given.ts"
import { type Fixture, fixture, operations } from "./Operations.ts"
import type { Client } from "./TestServer.ts"

const readsOf = ({ listId, thingId }: Fixture): ReadonlyArray<string> => [
  `/lists/${listId}`,
  `/lists/${listId}?max_text=2`,
  "/lists",
  "/things",
  `/things?list_id=${listId}&page=0`,
  `/things/${thingId}`,
  "/today",
  "/today?date=2099-01-05",
  "/tags"
]

type Shown = ReadonlyArray<readonly [path: string, status: number, etag: string | null, body: unknown]>

const show = async (client: Client, paths: ReadonlyArray<string>): Promise<Shown> => {
  const shown: Array<Shown[number]> = []
  for (const path of paths) {
    const { body, headers, status } = await client.ask("GET", path)
    shown.push([path, status, headers.get("etag"), body])
  }
  return shown
}

/** Answers that are given again: see docs/decisions.md#preconditions. */
export const answerCacheTests = (given: Given): void => {
  given("a repeated read has the same answer, counts, and is a 304 for a client that has it", async (client) => {
    const on = await fixture(client)
    const paths = readsOf(on)
    await show(client, paths)
    const first = await show(client, paths)
    expect(await show(client, paths)).toStrictEqual(first)
    const path = `/things/${on.thingId}`
    const left = async (options = {}) =>
      Number((await client.ask("GET", path, undefined, options)).headers.get("x-ratelimit-remaining"))
    expect((await left()) - (await left())).toBe(1)
    const { headers } = await client.ask("HEAD", path)
    const etag = headers.get("etag")!
    expect((await client.ask("GET", path, undefined, { headers: { "if-none-match": etag } })).status).toBe(304)
    expect(
      (await client.ask("GET", path, undefined, { token: `${client.token.slice(0, 17)}${"x".repeat(49)}` })).status
    ).toBe(401)
  })

  for (const [name, { good, method }] of Object.entries(operations))
    given(`after ${name} by another key, reads show what one who never read sees`, async (client, server) => {
      const [writer, stranger] = [
        await server.client({ accountOf: client }),
        await server.client({ accountOf: client })
      ]
      const on = await fixture(client)
      const paths = readsOf(on)
      await show(client, paths)
      await show(client, paths)
      await writer.ask(method, good.path(on), good.body?.(on))
      expect(await show(client, paths)).toStrictEqual(await show(stranger, paths))
    })

  given("after a change of settings or places reads show it", async (client, server) => {
    const on = await fixture(client)
    const paths = readsOf(on)
    const stranger = await server.client({ accountOf: client })
    const asOwner = asOwnerOf(client, server)
    const savePlace = (latitude: number) =>
      asOwner(Effect.flatMap(Places, (places) => places.save({ name: "Shop", latitude, longitude: 2 })))
    await savePlace(1)
    await client.ask("PUT", `/things/${on.thingId}/reminder`, { place: "Shop" })
    const moveTo = (timezone: string) =>
      asOwner(Effect.flatMap(Accounts, (accounts) => accounts.update(client.accountId, { timezone })))
    // Their dates differ at any hour. The lists of both days are there before, since making one is a change of its own.
    const [here, there] = ["Etc/GMT+12", "Pacific/Kiritimati"]
    for (const zone of [there, here]) {
      await moveTo(zone)
      await client.ask("GET", "/today")
    }
    const changes = [() => savePlace(5), () => moveTo(there)]
    for (const change of changes) {
      await show(client, paths)
      await show(client, paths)
      await change()
      expect(await show(client, paths)).toStrictEqual(await show(stranger, paths))
    }
  })
}
