import { NodeCrypto } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner } from "@lists-and-things/testing/AsOwner"
import { at } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import { EntityTags } from "../../src/preconditions/EntityTags.ts"
import { useCases } from "../../src/UseCases.ts"

const inMemory = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))

/** The end of a day in Vienna. */
const midnight = Date.UTC(2026, 10, 21, 23)
const updated = EpochMillis(Date.UTC(2026, 10, 21, 12))

layer(inMemory, { excludeTestServices: true })("an entity tag of what shows whether a day is today's", (it) => {
  const tags = {
    "a list": Effect.flatMap(EntityTags, ({ ofList }) => ofList({ updated })),
    "the current list": Effect.flatMap(EntityTags, ({ ofCurrentList }) => ofCurrentList({ updated })),
    "the account": Effect.flatMap(EntityTags, ({ ofAccount }) => ofAccount)
  }
  for (const [of, tag] of Object.entries(tags))
    it.effect(`of ${of} changes at midnight in the account's time zone, and at no other time`, () =>
      asOwner(
        () =>
          Effect.gen(function* () {
            const noon = yield* tag.pipe(at(updated))
            expect(yield* tag.pipe(at(midnight - 1))).toBe(noon)
            const next = yield* tag.pipe(at(midnight))
            expect(next).not.toBe(noon)
            expect(yield* tag.pipe(at(midnight + 3_600_000))).toBe(next)
          }),
        { timezone: "Europe/Vienna" }
      )
    )
})
