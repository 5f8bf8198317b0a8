import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Conflict } from "../Errors.ts"
import type { AccountStore } from "../ports/AccountStore.ts"
import { type Receipt, ReceiptStore } from "../ports/ReceiptStore.ts"
import { Storage } from "../ports/Storage.ts"
import { freshId, hostileTexts, newAccount, noon } from "./Fixtures.ts"

type Ports = Storage | AccountStore | ReceiptStore

const receipt = (overrides: Partial<Receipt> = {}): Receipt => ({
  key: freshId(),
  fingerprint: "0".repeat(64),
  answer: '{"status":201}',
  created: noon,
  ...overrides
})

const setup = Effect.gen(function* () {
  const { id: owner } = yield* newAccount()
  return { owner, receipts: yield* ReceiptStore, storage: yield* Storage }
})

/** What `ReceiptStore` promises, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: ReceiptStore`, (it) => {
    it.effect("put and get keep every field, byte for byte", () =>
      Effect.gen(function* () {
        const { owner, receipts, storage } = yield* setup
        const answers = ['{"b":1,  "a":2}', JSON.stringify({ texts: hostileTexts }), ""]
        for (const answer of answers) {
          const made = receipt({ answer, fingerprint: freshId() })
          yield* storage.transact(owner, () => receipts.put(owner, made))
          expect(yield* receipts.get(owner, made.key, noon - 1)).toStrictEqual(made)
        }
      })
    )

    it.effect("any key will do, and none is taken for another", () =>
      Effect.gen(function* () {
        const { owner, receipts } = yield* setup
        const keys = ["a", "A", "a ", "%", "'", "🦊", "x".repeat(255)]
        const made = keys.map((key) => receipt({ key, answer: key }))
        yield* Effect.forEach(made, (one) => receipts.put(owner, one))
        for (const one of made) expect(yield* receipts.get(owner, one.key, 0)).toStrictEqual(one)
        for (const key of ["b", "", "_", "' or ''='"]) expect(yield* receipts.get(owner, key, 0)).toBeUndefined()
      })
    )

    it.effect("get answers only those created after the given time", () =>
      Effect.gen(function* () {
        const { owner, receipts } = yield* setup
        const made = receipt()
        yield* receipts.put(owner, made)
        expect(yield* receipts.get(owner, made.key, noon - 1)).toStrictEqual(made)
        expect(yield* receipts.get(owner, made.key, noon)).toBeUndefined()
        expect(yield* receipts.get(owner, made.key, noon + 1)).toBeUndefined()
      })
    )

    it.effect("put replaces an expired one of the same key", () =>
      Effect.gen(function* () {
        const { owner, receipts } = yield* setup
        const old = receipt()
        const fresh = { ...old, answer: "new", fingerprint: "1".repeat(64), created: noon + 86_400_001 }
        yield* receipts.put(owner, old)
        yield* receipts.put(owner, fresh)
        expect(yield* receipts.get(owner, old.key, noon)).toStrictEqual(fresh)
      })
    )

    it.effect("owners are apart", () =>
      Effect.gen(function* () {
        const { owner, receipts } = yield* setup
        const stranger = yield* setup
        const mine = receipt({ key: "same", answer: "mine" })
        const theirs = receipt({ key: "same", answer: "theirs" })
        yield* receipts.put(owner, mine)
        expect(yield* receipts.get(stranger.owner, "same", 0)).toBeUndefined()
        yield* receipts.put(stranger.owner, theirs)
        expect(yield* receipts.get(owner, "same", 0)).toStrictEqual(mine)
      })
    )

    it.effect("prune removes those created before a time or after another, of every owner", () =>
      Effect.gen(function* () {
        const a = yield* setup
        const b = yield* setup
        const ancient = Date.UTC(1980, 0, 1)
        for (const { owner, receipts } of [a, b])
          for (const [index, key] of ["before", "at", "after"].entries())
            yield* receipts.put(owner, receipt({ key, created: ancient - 1 + index }))
        const old = { before: ancient, after: Number.MAX_SAFE_INTEGER }
        expect(yield* a.receipts.prune(old, 10)).toBe(2)
        expect(yield* a.receipts.prune(old, 10)).toBe(0)
        for (const { owner, receipts } of [a, b]) {
          expect(yield* receipts.get(owner, "before", 0)).toBeUndefined()
          expect(yield* receipts.get(owner, "at", 0)).toBeDefined()
          expect(yield* receipts.get(owner, "after", 0)).toBeDefined()
        }
        yield* a.receipts.prune({ ...old, before: ancient + 1_000 }, 10)
        yield* a.receipts.put(a.owner, receipt({ key: "ahead", created: Date.UTC(2300, 0, 1) }))
        yield* a.receipts.put(a.owner, receipt({ key: "now" }))
        expect(yield* a.receipts.prune({ before: ancient, after: Date.UTC(2200, 0, 1) }, 10)).toBe(1)
        expect(yield* a.receipts.get(a.owner, "ahead", 0)).toBeUndefined()
        expect(yield* a.receipts.get(a.owner, "now", 0)).toBeDefined()
      })
    )

    it.effect("prune removes at most so many, the oldest first; pruneOf those of one owner", () =>
      Effect.gen(function* () {
        const a = yield* setup
        const b = yield* setup
        const ancient = Date.UTC(1970, 0, 2)
        const old = { before: ancient + 5, after: Number.MAX_SAFE_INTEGER }
        for (const { owner, receipts } of [a, b])
          for (const at of [3, 0, 2, 1]) yield* receipts.put(owner, receipt({ key: `${at}`, created: ancient + at }))
        expect(yield* a.receipts.pruneOf(a.owner, old, 2)).toBe(2)
        for (const [key, isThere] of [
          ["0", false],
          ["1", false],
          ["2", true],
          ["3", true]
        ] as const)
          expect((yield* a.receipts.get(a.owner, key, 0)) !== undefined).toBe(isThere)
        expect(yield* b.receipts.get(b.owner, "0", 0)).toBeDefined()
        expect(yield* a.receipts.prune(old, 5)).toBe(5)
        expect(yield* a.receipts.prune(old, 5)).toBe(1)
        expect(yield* a.receipts.pruneOf(a.owner, old, 5)).toBe(0)
      })
    )

    it.effect("are removed once when several prune at the same time", () =>
      Effect.gen(function* () {
        const { owner, receipts } = yield* setup
        const ancient = Date.UTC(1971, 0, 1)
        for (let at = 0; at < 40; at++) yield* receipts.put(owner, receipt({ created: ancient + at }))
        const old = { before: ancient + 40, after: Number.MAX_SAFE_INTEGER }
        const first = yield* Effect.all(
          Array.from({ length: 4 }, () => receipts.prune(old, 10)),
          { concurrency: "unbounded" }
        )
        const rest = yield* receipts.prune(old, 40)
        expect(first.reduce((sum, count) => sum + count, rest)).toBe(40)
      })
    )

    it.effect("exist exactly when their transaction succeeded", () =>
      Effect.gen(function* () {
        const { owner, receipts, storage } = yield* setup
        const made = receipt()
        const put = receipts.put(owner, made)
        const seen = yield* storage
          .transact(owner, () =>
            Effect.gen(function* () {
              yield* put
              expect(yield* receipts.get(owner, made.key, 0)).toStrictEqual(made)
              return yield* new Conflict({ message: "back" })
            })
          )
          .pipe(Effect.flip)
        expect(seen._tag).toBe("Conflict")
        expect(yield* receipts.get(owner, made.key, 0)).toBeUndefined()
        yield* storage.transact(owner, () => put)
        expect(yield* receipts.get(owner, made.key, 0)).toStrictEqual(made)
      })
    )

    it.effect("let one of several that race have the effect, by get and put in one transaction", () =>
      Effect.gen(function* () {
        const { owner, receipts, storage } = yield* setup
        const key = freshId()
        const once = storage.transact(owner, (stamp) =>
          Effect.gen(function* () {
            const known = yield* receipts.get(owner, key, 0)
            if (known !== undefined) return known.answer
            yield* Effect.yieldNow
            yield* receipts.put(owner, receipt({ key, answer: `${stamp}` }))
            return `${stamp}`
          })
        )
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => once),
          { concurrency: "unbounded" }
        )
        expect(new Set(answers).size).toBe(1)
      })
    )
  })
}
