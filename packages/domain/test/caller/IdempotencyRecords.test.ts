import { NodeCrypto } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner } from "@lists-and-things/testing/AsOwner"
import { at } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { keptAnswerBudget, IdempotencyRecords } from "../../src/caller/IdempotencyRecords.ts"
import { addMillis, currentTime, epoch, msPerDay, msPerHour } from "../../src/model/EpochMillis.ts"
import { IdempotencyStore } from "../../src/ports/IdempotencyStore.ts"

const records = IdempotencyRecords.layer.pipe(Layer.provideMerge(memory), Layer.provide(NodeCrypto.layer))

layer(records)("answers under an idempotency key", (it) => {
  it.effect("are kept up to a number of bytes, newest first; a write whose answer was dropped is not repeated", () =>
    asOwner(({ id: owner }) =>
      Effect.gen(function* () {
        const [{ once }, store, now] = [yield* IdempotencyRecords, yield* IdempotencyStore, yield* currentTime]
        let writes = 0
        const write = (answer: string) => Effect.sync(() => (writes++, answer))
        const large = "x".repeat(keptAnswerBudget.checkedEvery)
        expect(yield* once("oldest", "request", write(large))).toBe(large)
        const { fingerprint } = (yield* store.get(owner, "oldest", epoch))!
        const others = keptAnswerBudget.kept / keptAnswerBudget.checkedEvery - 1
        for (let at = 1; at <= others; at++) {
          const created = addMillis(now, -1)
          yield* store.put(owner, { key: `k${at}`, fingerprint, answer: large, created })
        }
        yield* store.put(owner, { key: "oldest", fingerprint, answer: large, created: addMillis(now, -2) })
        expect(yield* once("oldest", "request", write("again"))).toBe(large)
        expect(yield* once("newest", "request", write(large))).toBe(large)
        const refused = yield* Effect.flip(once("oldest", "request", write("again")))
        expect([refused._tag, refused.message]).toStrictEqual([
          "Gone",
          "This write was done when its key was first used, and is not repeated. Its answer is no longer kept, since later ones of the account fill 256 MiB: read what it changed."
        ])
        expect((yield* Effect.flip(once("oldest", "another", write("again"))))._tag).toBe("IdempotencyMismatch")
        for (const key of ["k1", `k${others}`, "newest"])
          expect(yield* once(key, "request", write("again"))).toBe(large)
        expect(writes).toBe(2)
      })
    )
  )

  it.effect("are replayed for less than 24 hours; then the same key writes again", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const [{ once }, now] = [yield* IdempotencyRecords, yield* currentTime]
        let writes = 0
        const write = Effect.sync(() => `answer ${++writes}`)
        const written = (millisLater: number) => at(addMillis(now, millisLater))(once("key", "request", write))
        expect(yield* written(0)).toBe("answer 1")
        expect(yield* written(msPerDay - 1)).toBe("answer 1")
        expect(yield* written(msPerDay)).toBe("answer 2")
      })
    )
  )

  it.effect("are replayed, and no write runs twice, when the clock is set back in between", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const [{ once }, now] = [yield* IdempotencyRecords, yield* currentTime]
        let writes = 0
        const write = Effect.sync(() => `answer ${++writes}`)
        expect(yield* once("first", "request", write)).toBe("answer 1")
        const back = at(addMillis(now, -msPerHour))
        expect(yield* back(once("second", "request", write))).toBe("answer 2")
        expect(yield* back(once("first", "request", write))).toBe("answer 1")
        expect(yield* once("first", "request", write)).toBe("answer 1")
      })
    )
  )
})
