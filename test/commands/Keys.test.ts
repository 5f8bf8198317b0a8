import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { topicNames } from "@lists-and-things/cli/commands/shell/Topics"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
const ann = ["--account", "ann@example.com"]

beforeAll(async () => {
  for (const name of ["ann", "bob"]) await lat.quiet(["account", "create", "--email", `${name}@example.com`])
})

afterAll(() => lat.close())

interface Key {
  readonly id: string
  readonly name: string
  readonly key: string
}

const create = (...more: ReadonlyArray<string>) => lat.json<Key>(["key", "create", ...ann, ...more])
const rowOf = async (id: string) =>
  (await lat.output(["key", "list"])).split("\n").find((line) => line.startsWith(`${id} `))

describe("lat key", () => {
  it("creates a key with the given scopes, limit and name, and with all scopes by default", async () => {
    const given = ["--name", "dashboard", "--scopes", "read:lists, search,", "--scopes", "read:things"]
    const key = await create(...given, "--rate-limit", "50")
    const scopes = ["read:lists", "read:things", "search"]
    expect(key).toMatchObject({ name: "dashboard", scopes: expect.arrayContaining(scopes), rate_limit: 50 })
    expect(await rowOf(key.id)).toMatch(/ dashboard +ann@example\.com +\S+ +\S*read:\S+ +50 +never +active$/)
    const all = await create()
    expect(all).toMatchObject({ name: "", rate_limit: 1000 })
    expect(await rowOf(all.id)).toMatch(/ all +1000 +never +active$/)
    expect(await lat.quiet(["key", "create", ...ann])).toMatch(/^lat_[0-9A-Za-z]{12}_\S+$/)
    const { err, out } = await lat.run(["key", "create", ...ann])
    expect(out).toMatch(/^key +lat_\S+\nid +\S{12}\naccount +ann@example\.com\n/)
    expect(err).toBe("Copy the key now: it is not shown again.\n")
  })

  it("lists the ids of the keys of one account, or of all", async () => {
    const bobs = await lat.json<Key>(["key", "create", "--account", "bob@example.com"])
    expect(await lat.quiet(["key", "list", "--account", "bob@example.com"])).toBe(bobs.id)
    const all = (await lat.quiet(["key", "list"])).split("\n")
    expect([all.length > 1, all.includes(bobs.id)]).toStrictEqual([true, true])
  })

  it("revokes a key by its id or as a whole, and refuses a mistyped id", async () => {
    const [one, two] = [await create(), await create()]
    expect(await lat.json(["key", "revoke", one.key])).toStrictEqual({ id: one.id, revoked: true })
    expect(await rowOf(one.id)).toMatch(/ revoked \d{4}-\d\d-\d\d$/)
    expect(await rowOf(two.id)).toMatch(/ active$/)
    expect(await lat.output(["key", "revoke", `lat_${two.id}`])).toContain(`Key ${two.id} is revoked: `)
    const typo = `${two.id.slice(0, -1)}${two.id.endsWith("0") ? "1" : "0"}`
    const { code, err } = await lat.run(["key", "revoke", typo])
    expect([code, err]).toStrictEqual([1, expect.stringContaining(`No key has this id.\nDid you mean ${two.id}`)])
    expect((await lat.run(["key", "revoke", "-"])).err).toContain("'lat key list' shows all keys.")
  })

  it.each(topicNames)("has the help on %s fit the terminal, but for its examples", async (topic) => {
    const { out } = await lat.run(["help", topic])
    const prose = out.split("\n").filter((each) => !each.startsWith("   "))
    expect(prose.filter((each) => each.length > 80)).toStrictEqual([])
    expect(prose.length).toBeGreaterThan(5)
  })
})
