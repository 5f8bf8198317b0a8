import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { type Command, command, prelude } from "./Commands.ts"
import { KnownIds } from "./KnownIds.ts"
import { assertReads, assertSound } from "./Model.ts"
import { makeWorld, type World } from "./World.ts"

/** 2026-11-21T12:00:00.000Z */
const start = Date.UTC(2026, 10, 21, 12)
/** Sequences of commands; `LAT_SEQUENCES` makes it more. */
const sequences = Number(process.env.LAT_SEQUENCES ?? 150)

const server = await openTestDatabase({ version: 18 })
const worlds: readonly [World, World] = [makeWorld(memory), makeWorld(PgStorage.layer({ url: server.url() }))]
afterAll(async () => {
  for (const world of worlds) await world.dispose()
  await server.stop()
})

let count = 0

const play = async (commands: ReadonlyArray<Command>): Promise<void> => {
  const seed = `${count++}`
  const accounts = await Promise.all(worlds.map((world) => world.begin(seed, start)))
  assert.deepStrictEqual(accounts[0], accounts[1])
  const owners = accounts[0]!.map(({ id }) => id)
  const ids = new KnownIds()
  let now = start
  for (const { operation, owner: index, advance, args } of [...prelude, ...commands]) {
    now += advance
    const owner = owners[index]!
    const resolved = { operation, args: ids.resolveAll(owner, args) }
    const [expected, actual] = await Promise.all(worlds.map((world) => world.run(owner, resolved, now)))
    assert.deepStrictEqual(JSON.parse(actual!), JSON.parse(expected!), `${operation} ${JSON.stringify(resolved.args)}`)
    ids.see(owner, await worlds[0].dump(owner))
  }
  for (const owner of owners) {
    const [expected, actual] = await Promise.all(worlds.map((world) => world.dump(owner)))
    assert.deepStrictEqual(actual, expected, "everything of an owner")
    assertSound(expected!)
    await assertReads(worlds[0], expected!, now)
  }
}

describe("memory and PostgreSQL", () => {
  it(
    `answer alike to ${sequences} random sequences of commands, and as a model would`,
    async () => {
      const commands = fc.array(command, { minLength: 5, maxLength: 40, size: "max" })
      await fc.assert(fc.asyncProperty(commands, play), {
        numRuns: sequences,
        endOnFailure: process.env.LAT_SEQUENCES !== undefined,
        ...(process.env.LAT_SEED === undefined ? {} : { seed: Number(process.env.LAT_SEED) })
      })
    },
    sequences * 2_000
  )
})
