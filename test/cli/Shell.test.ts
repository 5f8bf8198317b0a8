import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { entry, type Lat, openServedLat } from "./Lat.ts"
import { hasTerminals, onTerminal } from "./OnTerminal.ts"

let lat: Lat

beforeAll(async () => {
  lat = await openServedLat()
  await lat.json(["account", "create", "--email", "ann@example.com", "--timezone", "Europe/Vienna"])
})

afterAll(async () => {
  await lat.close()
})

it.skipIf(!hasTerminals)("a thing is shown in colours on a terminal, except with TERM=dumb", async () => {
  await lat.json(["list", "create", "Colours"])
  await lat.json(["thing", "add", "Paint", "--list", "Colours", "--tag", "cyan"])
  const shown = onTerminal([process.execPath, entry, "list", "show", "Colours"], { env: lat.env })
  await shown.ended
  const dumb = onTerminal([process.execPath, entry, "list", "show", "Colours"], {
    env: { ...lat.env, TERM: "dumb" }
  })
  await dumb.ended
  expect(dumb.screen()).not.toContain("\u001b[")
  expect(shown.screen()).toMatch(/\u001b\[2m[0-9a-f]{4}\u001b\[22m {2}\[ \] Paint {2}\u001b\[36m#cyan\u001b\[39m\r\n$/)
})

it("a command without its group is unknown, and the full command is suggested", async () => {
  const one = await lat.run(["done", "milk"])
  expect([one.code, one.err]).toStrictEqual([
    2,
    expect.stringMatching(/^lat: unknown command 'done'\nDid you mean:\n {2}.*lat\.mjs thing done\nAdd --help/)
  ])
  expect((await lat.run(["show"])).err).toMatch(/ list show\n {2}.* thing show\n/)
})

it.each([
  [["thing", "complete", "milk"], ["thing done"]],
  [["thing", "remove", "milk"], ["thing delete"]],
  [["list", "rename", "Groceries"], ["list edit"]],
  [["complete", "milk"], ["thing done"]],
  [
    ["remove", "milk"],
    ["account delete", "list delete", "thing delete", "webhook delete"]
  ],
  [["backup"], ["db dump"]],
  [["start"], ["setup"]]
])("a name from other programs is unknown, and our command is suggested: %s", async (words, meant) => {
  const { code, err } = await lat.run(words)
  const [unknown, heading, ...rest] = err.trim().split("\n")
  expect([code, unknown, heading]).toEqual([2, expect.stringContaining("unknown command"), "Did you mean:"])
  expect(rest.slice(0, -1).map((line) => line.replace(/^.*lat\.mjs /, ""))).toEqual(meant)
})

describe("LAT_ACCOUNT", () => {
  it("names the account if --account is missing", async () => {
    const env = { LAT_ACCOUNT: "bob@example.com" }
    await lat.json(["account", "create", "--email", "bob@example.com"])
    await lat.json(["list", "create", "Bob's"], { env })
    const titles = async (words: ReadonlyArray<string>) =>
      (await lat.json<ReadonlyArray<{ title: string }>>(["list", "list", ...words], { env })).map(({ title }) => title)
    expect(await titles([])).toStrictEqual(["Bob's"])
    expect(await titles(["--account", "ann@example.com"])).toStrictEqual(["Colours"])
    await lat.json(["key", "create", "--name", "his"], { env })
    const keys = await lat.json(["key", "list"])
    expect(keys).toMatchObject([{ name: "his", account_email: "bob@example.com", account_id: expect.any(String) }])
    const unknown = await lat.run(["today"], { env: { LAT_ACCOUNT: "carl@elsewhere.org" } })
    expect([unknown.code, unknown.err]).toStrictEqual([
      1,
      expect.stringMatching(
        /^lat: LAT_ACCOUNT: No account has the id or email 'carl@elsewhere\.org'\.\n {2}\S{36} {2}ann@/
      )
    ])
    const needed = await lat.run(["list", "show", "Bob's"])
    expect(needed.code).toBe(2)
    expect(needed.err).toContain("/bin/lat.mjs list show 'Bob'\\''s' --account ann@example.com\n")
    expect(needed.err).toContain("export LAT_ACCOUNT=ann@example.com\n")
  })
})
