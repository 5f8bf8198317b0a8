import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { type Command, command, type Ref } from "./Commands.ts"
import { assertReads, assertSound } from "./Model.ts"
import { makeWorld, type World } from "./World.ts"

/** 2026-11-21T12:00:00.000Z */
const start = Date.UTC(2026, 10, 21, 12)
/** Sequences of commands; `LAT_SEQUENCES` makes it more. */
const sequences = Number(process.env.LAT_SEQUENCES ?? 150)

const server = await startTestPostgres({ version: 18, settings: ["fsync=off"] })
const worlds: readonly [World, World] = [makeWorld(memory), makeWorld(PgStorage.layer({ url: server.url() }))]
afterAll(async () => {
  for (const world of worlds) await world.dispose()
  await server.stop()
})

/** The ids that were ever seen, those of things and lists that are gone too. */
class KnownIds {
  readonly #seen: Record<Ref["$"], Array<string>> = { list: [], thing: [], place: [] }

  see(kind: Ref["$"], items: ReadonlyArray<{ readonly id: string }>): void {
    const known = new Set(this.#seen[kind])
    this.#seen[kind].push(...items.map(({ id }) => id).filter((id) => !known.has(id)))
  }

  /** The value with every reference replaced by an id; now and then one that nobody has. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.resolve(each))
    if (typeof value !== "object" || value === null) return value
    if ("$" in value) return this.#idOf(value as Ref)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.resolve(each)]))
  }

  #idOf({ $, at }: Ref): string {
    const ids = this.#seen[$]
    return ids[at % (ids.length + 1)] ?? (at % 2 ? "no id" : "3f2504e0-4f89-41d3-9a0c-0305e82c3301")
  }
}

let count = 0

const play = async (commands: ReadonlyArray<Command>): Promise<void> => {
  const seed = `${count++}`
  const accounts = await Promise.all(worlds.map((world) => world.begin(seed, start)))
  assert.deepStrictEqual(accounts[0], accounts[1])
  const owners = accounts[0]!.map(({ id }) => id)
  const ids = new KnownIds()
  let now = start
  for (const { operation, owner, advance, args } of commands) {
    now += advance
    const resolved = { operation, args: ids.resolve(args) as ReadonlyArray<unknown> }
    const [expected, actual] = await Promise.all(worlds.map((world) => world.run(owners[owner]!, resolved, now)))
    assert.deepStrictEqual(JSON.parse(actual!), JSON.parse(expected!), `${operation} ${JSON.stringify(resolved.args)}`)
    const { lists, things, places } = await worlds[0].dump(owners[owner]!)
    ids.see("list", lists)
    ids.see("thing", things)
    ids.see("place", places)
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
