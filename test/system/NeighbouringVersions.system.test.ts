import { latestVersion } from "@lists-and-things/storage-pg/Migrations"
import { until } from "@lists-and-things/testing/Until"
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import { Redacted } from "effect"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { checkOut, hasHistory, lat, newKey, root, serve, type Serving } from "./Release.ts"

/** Commits of earlier versions and the schemas that they create. */
const releases = [
  { name: "1.0.0 (schema 4)", commit: "f0cfc35", schema: 4 },
  { name: "schema 10", commit: "1eec024", schema: 10 }
]

const missing = releases.filter(({ commit }) => !hasHistory(commit))
if (missing.length > 0) {
  process.stderr.write(
    `NOT TESTED: neighbouring versions. The history has no ${missing.map(({ commit }) => commit).join(", ")}: clone without --depth.\n`
  )
}

interface Thing {
  readonly id: string
  readonly text: string
}

interface Answer {
  readonly list: { readonly id: string }
  readonly thing: Thing
  readonly things: ReadonlyArray<Thing>
  readonly results: ReadonlyArray<unknown>
}

/** One request that must succeed; what is in its answer depends on the request. */
const ask = async (server: Serving, key: string, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer = (await response.json()) as Answer
  expect(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`).toBe(true)
  return answer
}

const texts = async (server: Serving, key: string, list: string): Promise<ReadonlyArray<string>> => {
  const { things } = await ask(server, key, "GET", `/lists/${list}`)
  return things.map(({ text }) => text)
}

describe.skipIf(missing.length > 0)("together with an earlier version", async () => {
  const postgres = missing.length > 0 ? undefined : await startTestPostgres({ version: 18, settings: ["fsync=off"] })
  afterAll(() => postgres?.stop())

  it.for(releases)("$name: both serve one database, and read each other's writes", async ({ commit, schema }) => {
    const old = checkOut(commit)
    const running: Array<Serving> = []
    try {
      const name = `beside_${schema}`
      const url = await postgres!.createDatabase(name)
      const variables = { DATABASE_URL: Redacted.value(url), LAT_LOG: "error" }
      const version = async () => (await postgres!.sql("select max(version) as v from schema_migrations", name))[0]?.v

      const before = await serve(old.folder, variables)
      running.push(before)
      lat(old.folder, variables, ["account", "create", "--email", "ann@example.com"])
      const key = newKey(old.folder, variables, "ann@example.com")
      expect(await version()).toBe(schema)

      // A command of the new version refuses an older schema, and changes nothing.
      expect(() => lat(root, variables, ["account", "list"])).toThrow(/of an older release.*lat(?:\.mjs)? db migrate'/)
      const status = lat(root, variables, ["db", "status"]) as { schema_version: number }
      expect(status.schema_version).toBe(schema)
      expect(await version()).toBe(schema)

      const after = await serve(root, variables)
      running.push(after)
      expect(Number(await version())).toBeGreaterThan(schema)

      const { list } = await ask(after, key, "POST", "/lists", { title: "Shared" })
      const expected: Array<string> = []
      for (const [at, server] of [before, after, before, after].entries()) {
        const text = `thing ${at} by the ${server === before ? "old" : "new"} one`
        const { thing } = await ask(server, key, "POST", "/things", { text, list_id: list.id, tags: ["both"] })
        await ask(server, key, "POST", "/things/bulk", { list_id: list.id, items: [{ text: `${text}, in bulk` }] })
        await ask(server === before ? after : before, key, "PATCH", `/things/${thing.id}`, { completed: true })
        expected.push(text, `${text}, in bulk`)
      }
      for (const server of [before, after]) expect(await texts(server, key, list.id)).toStrictEqual(expected)
      const search = await ask(before, key, "GET", "/search?query=new%20one")
      expect(search.results.length).toBe(4)
      // An old program that is started again accepts the new schema.
      const again = await serve(old.folder, variables)
      running.push(again)
      expect(await texts(again, key, list.id)).toStrictEqual(expected)

      // When the last old program has ended, a write of the new one detects that there are none left to wait for.
      for (const server of [before, again]) await server.stop()
      running.splice(0, running.length, after)
      const write = () => ask(after, key, "POST", "/things", { text: "alone", list_id: list.id })
      await until("the end of two locks", async () => (await write()) && Number(await version()) === latestVersion)
      await write()
      expect((await texts(after, key, list.id)).slice(0, expected.length)).toStrictEqual(expected)
    } finally {
      for (const server of running) await server.stop()
      old.remove()
    }
  })
})
