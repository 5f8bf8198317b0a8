import { expect, it } from "@effect/vitest"
import { latHttp } from "./Programs.ts"

it("lat-http waits 30 seconds for a database that is down, says so once and ends, and never shows its password", async () => {
  const began = Date.now()
  const program = latHttp({ DATABASE_URL: "postgres://someone:hush-hush@127.0.0.1:1/lists" })
  expect(await program.ended).toBe(1)
  expect(Date.now() - began).toBeGreaterThan(29_000)
  const lines = program.err().trimEnd().split("\n")
  expect(lines.at(-1)).toMatch(/^The database cannot be reached: .*ECONNREFUSED/)
  expect(lines.filter((line) => line.includes("cannot be reached yet"))).toHaveLength(1)
  expect(program.err()).not.toContain("hush-hush")
})
