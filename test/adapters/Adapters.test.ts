import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { type Command, command, prelude, type Ref } from "./Commands.ts"
import { assertReads, assertSound } from "./Model.ts"
import { type Dump, makeWorld, type World } from "./World.ts"

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

/** What the owners have and had, for the references in commands. */
class KnownIds {
  #live: Record<string, Record<Ref["$"], ReadonlyArray<string>>> = {}
  readonly #ever: Record<Ref["$"], Set<string>> = { list: new Set(), thing: new Set(), place: new Set() }

  see(owner: string, { lists, things, places }: Dump): void {
    const live = { list: lists.map(idOf), thing: things.map(idOf), place: places.map(idOf) }
    this.#live[owner] = live
    for (const kind of kinds) for (const id of live[kind]) this.#ever[kind].add(id)
  }

  /** The value with every reference replaced by an id: mostly the owner's, else anybody's, gone or never there. */
  resolve(owner: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.resolve(owner, each))
    if (typeof value !== "object" || value === null) return value
    if ("$" in value) return this.#idOf(owner, value as Ref)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.resolve(owner, each)]))
  }

  #idOf(owner: string, { $, at }: Ref): string {
    const mine = this.#live[owner]?.[$] ?? []
    const ids = at % 10 === 9 || mine.length === 0 ? [...this.#ever[$], "no id", freshId] : mine
    return ids[at % ids.length]!
  }
}

const kinds = ["list", "thing", "place"] as const
const idOf = ({ id }: { readonly id: string }): string => id
const freshId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

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
    const resolved = { operation, args: ids.resolve(owner, args) as ReadonlyArray<unknown> }
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
