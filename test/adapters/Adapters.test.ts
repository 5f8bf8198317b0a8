import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { defaultLimits, type Limits } from "@lists-and-things/domain/size/SizeLimits"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import type { PgStorageConfig } from "@lists-and-things/storage-pg/PgStorage"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { type Command, command, prelude } from "./Commands.ts"
import { KnownIds } from "./KnownIds.ts"
import { assertReads, assertSound } from "./Model.ts"
import { makeInstance, type Instance } from "./Instance.ts"

/** 2026-11-21T12:00:00.000Z */
const start = Date.UTC(2026, 10, 21, 12)
/** Number of command sequences; `LAT_SEQUENCES` sets another. */
const sequences = Number(process.env.LAT_SEQUENCES ?? 45)

const server = await openTestDatabase({ version: 18 })
/** Limits so small that most sequences reach them. */
const smallLimits: Limits = { list: { things: 4, bytes: 60 }, account: { things: 7, bytes: 120 } }

const instancesOn = (config: PgStorageConfig, limits: Limits): readonly [Instance, Instance] => [
  makeInstance(memory, limits),
  makeInstance(PgStorage.layer(config), limits)
]
await server.createDatabase("narrow")
const wide = { limits: defaultLimits, instances: instancesOn(server.config(), defaultLimits) }
const narrow = { limits: smallLimits, instances: instancesOn(server.config("narrow"), smallLimits) }
afterAll(async () => {
  for (const instance of [...wide.instances, ...narrow.instances]) await instance.dispose()
  await server.stop()
})

let count = 0
/** Number of answers that were refused because of a limit. */
let refusals = 0

const play = async ({ limits, instances }: typeof wide, commands: ReadonlyArray<Command>): Promise<void> => {
  const seed = `${count++}`
  const accounts = await Promise.all(instances.map((instance) => instance.begin(seed, start)))
  expect(accounts[0]).toStrictEqual(accounts[1])
  const owners = accounts[0]!.map(({ id }) => id)
  const ids = new KnownIds()
  let now = start
  for (const { operation, owner: index, advance, args, by = "key" } of [...prelude, ...commands]) {
    now += advance
    const owner = owners[index]!
    const resolved = { operation, args: ids.resolveAll(owner, args), by }
    const [expected, actual] = await Promise.all(instances.map((instance) => instance.run(owner, resolved, now)))
    expect(JSON.parse(actual!), `${operation} ${JSON.stringify(resolved.args)}`).toStrictEqual(JSON.parse(expected!))
    if (expected!.includes("can hold at most")) refusals++
    ids.see(owner, await instances[0].dump(owner))
  }
  for (const owner of owners) {
    const [expected, actual] = await Promise.all(instances.map((instance) => instance.dump(owner)))
    expect(actual, "everything of an owner").toStrictEqual(expected)
    assertSound(expected!, limits)
    await assertReads(instances[0], expected!, now)
  }
  for (const owner of owners) await Promise.all(instances.map((instance) => instance.remove(owner)))
}

describe("memory and PostgreSQL", () => {
  const playAll = (setting: typeof wide, numRuns: number) => {
    const commands = fc.array(command, { minLength: 5, maxLength: 40, size: "max" })
    return fc.assert(
      fc.asyncProperty(commands, (each) => play(setting, each)),
      {
        numRuns,
        endOnFailure: process.env.LAT_SEQUENCES !== undefined
      }
    )
  }

  const netMillis = (runs: number) => 600_000 + runs * 5_000

  it(
    `give equal answers to ${sequences} random sequences of commands, as a model predicts`,
    () => playAll(wide, sequences),
    netMillis(sequences)
  )

  const limited = Math.ceil(sequences / 3)
  it(
    `enforce limits equally in ${limited} random sequences of commands`,
    async () => {
      refusals = 0
      await playAll(narrow, limited)
      expect(refusals).toBeGreaterThan(limited / 4)
    },
    netMillis(limited)
  )
})
