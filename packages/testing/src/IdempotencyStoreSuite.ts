import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import { Conflict } from "@lists-and-things/domain/model/Errors"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { type IdempotencyRecord, IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { at, freshId, hostileTexts, newAccount, newList, noon, type Plain, timed } from "./Fixtures.ts"
import { written } from "./Operations.ts"
import { addMillis, epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

type Ports = Storage | AccountStore | ListStore | IdempotencyStore

const record = (overrides: Partial<Plain<IdempotencyRecord>> = {}): IdempotencyRecord =>
  timed<IdempotencyRecord>({
    key: freshId(),
    fingerprint: "0".repeat(64),
    answer: '{"status":201}',
    created: noon,
    ...overrides
  })

const setup = Effect.gen(function* () {
  const { id: owner } = yield* newAccount()
  return { owner, records: yield* IdempotencyStore, storage: yield* Storage }
})

/** The contract of `IdempotencyStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: IdempotencyStore`, (it) => {
    it.effect("put and get keep every field, byte for byte", () =>
      Effect.gen(function* () {
        const { owner, records, storage } = yield* setup
        const answers = ['{"b":1,  "a":2}', JSON.stringify({ texts: hostileTexts }), ""]
        for (const answer of answers) {
          const made = record({ answer, fingerprint: freshId() })
          yield* storage.transact(owner, () => records.put(owner, made))
          expect(yield* records.get(owner, made.key, addMillis(noon, -1))).toStrictEqual(made)
        }
      })
    )

    it.effect("accepts any key, and does not confuse similar ones", () =>
      Effect.gen(function* () {
        const { owner, records } = yield* setup
        const keys = ["a", "A", "a ", "%", "'", "🦊", "x".repeat(255)]
        const made = keys.map((key) => record({ key, answer: key }))
        yield* Effect.forEach(made, (one) => records.put(owner, one))
        for (const one of made) expect(yield* records.get(owner, one.key, epoch)).toStrictEqual(one)
        for (const key of ["b", "", "_", "' or ''='"]) expect(yield* records.get(owner, key, epoch)).toBeUndefined()
      })
    )

    it.effect("get returns only records that were created after the given time", () =>
      Effect.gen(function* () {
        const { owner, records } = yield* setup
        const made = record()
        yield* records.put(owner, made)
        expect(yield* records.get(owner, made.key, addMillis(noon, -1))).toStrictEqual(made)
        expect(yield* records.get(owner, made.key, noon)).toBeUndefined()
        expect(yield* records.get(owner, made.key, addMillis(noon, 1))).toBeUndefined()
      })
    )

    it.effect("put replaces an expired record of the same key", () =>
      Effect.gen(function* () {
        const { owner, records } = yield* setup
        const old = record()
        const fresh = { ...old, answer: "new", fingerprint: "1".repeat(64), created: addMillis(noon, 86_400_001) }
        yield* records.put(owner, old)
        yield* records.put(owner, fresh)
        expect(yield* records.get(owner, old.key, noon)).toStrictEqual(fresh)
      })
    )

    it.effect("records of one owner are invisible to another", () =>
      Effect.gen(function* () {
        const { owner, records } = yield* setup
        const stranger = yield* setup
        const mine = record({ key: "same", answer: "mine" })
        const theirs = record({ key: "same", answer: "theirs" })
        yield* records.put(owner, mine)
        expect(yield* records.get(stranger.owner, "same", epoch)).toBeUndefined()
        yield* records.put(stranger.owner, theirs)
        expect(yield* records.get(owner, "same", epoch)).toStrictEqual(mine)
      })
    )

    it.effect("records name their own operation, even if another account writes at the same times", () =>
      Effect.gen(function* () {
        const key = freshId()
        const put = Effect.fnUntraced(function* ({ owner, records }: Effect.Success<typeof setup>) {
          const other = written(owner, () => newList(owner)).pipe(at(noon))
          yield* other
          const operation = yield* written(owner, () =>
            Effect.andThen(newList(owner), records.put(owner, record({ key })))
          ).pipe(at(noon))
          yield* other
          return operation
        })
        const both = [yield* setup, yield* setup]
        const operations = yield* Effect.forEach(both, put)
        const found = yield* Effect.forEach(both, ({ owner, records }) => records.get(owner, key, epoch))
        expect(found.map((each) => each?.operationId)).toStrictEqual(operations)
        expect(new Set(operations).size).toBe(2)
      })
    )

    it.effect("prune removes records of all owners that were created before a time or after another", () =>
      Effect.gen(function* () {
        const a = yield* setup
        const b = yield* setup
        const ancient = EpochMillis(Date.UTC(1980, 0, 1))
        for (const { owner, records } of [a, b])
          for (const [index, key] of ["before", "at", "after"].entries())
            yield* records.put(owner, record({ key, created: ancient - 1 + index }))
        const old = timed<Outdated>({ before: ancient, after: Number.MAX_SAFE_INTEGER })
        expect(yield* a.records.prune(old, 10)).toBe(2)
        expect(yield* a.records.prune(old, 10)).toBe(0)
        for (const { owner, records } of [a, b]) {
          expect(yield* records.get(owner, "before", epoch)).toBeUndefined()
          expect(yield* records.get(owner, "at", epoch)).toBeDefined()
          expect(yield* records.get(owner, "after", epoch)).toBeDefined()
        }
        yield* a.records.prune({ ...old, before: addMillis(ancient, 1_000) }, 10)
        yield* a.records.put(a.owner, record({ key: "ahead", created: Date.UTC(2300, 0, 1) }))
        yield* a.records.put(a.owner, record({ key: "now" }))
        expect(yield* a.records.prune({ before: ancient, after: EpochMillis(Date.UTC(2200, 0, 1)) }, 10)).toBe(1)
        expect(yield* a.records.get(a.owner, "ahead", epoch)).toBeUndefined()
        expect(yield* a.records.get(a.owner, "now", epoch)).toBeDefined()
      })
    )

    it.effect("prune removes the oldest records first, up to a number; pruneOf removes those of one owner", () =>
      Effect.gen(function* () {
        const a = yield* setup
        const b = yield* setup
        const ancient = Date.UTC(1970, 0, 2)
        const old = timed<Outdated>({ before: ancient + 5, after: Number.MAX_SAFE_INTEGER })
        for (const { owner, records } of [a, b])
          for (const at of [3, 0, 2, 1]) yield* records.put(owner, record({ key: `${at}`, created: ancient + at }))
        expect(yield* a.records.pruneOf(a.owner, old, 2)).toBe(2)
        for (const [key, isThere] of [
          ["0", false],
          ["1", false],
          ["2", true],
          ["3", true]
        ] as const)
          expect((yield* a.records.get(a.owner, key, epoch)) !== undefined).toBe(isThere)
        expect(yield* b.records.get(b.owner, "0", epoch)).toBeDefined()
        expect(yield* a.records.prune(old, 5)).toBe(5)
        expect(yield* a.records.prune(old, 5)).toBe(1)
        expect(yield* a.records.pruneOf(a.owner, old, 5)).toBe(0)
      })
    )

    it.effect("dropAnswers empties only the answers of an owner's oldest records beyond a number of bytes", () =>
      Effect.gen(function* () {
        const a = yield* setup
        const b = yield* setup
        const made = ["🦊🦊", "newer", "é", ""].map((answer, at) =>
          record({ key: `${at}`, answer, created: addMillis(noon, at) })
        )
        for (const { owner, records } of [a, b]) yield* Effect.forEach(made, (each) => records.put(owner, each))
        const answersOf = ({ owner, records }: typeof a) =>
          Effect.forEach(made, ({ key }) => Effect.map(records.get(owner, key, epoch), (found) => found?.answer))
        expect(yield* a.records.dropAnswers(a.owner, 15)).toBe(0)
        expect(yield* answersOf(a)).toStrictEqual(["🦊🦊", "newer", "é", ""])
        expect(yield* a.records.dropAnswers(a.owner, 14)).toBe(1)
        expect(yield* answersOf(a)).toStrictEqual(["", "newer", "é", ""])
        expect(yield* a.records.dropAnswers(a.owner, 1)).toBe(2)
        expect(yield* a.records.dropAnswers(a.owner, 0)).toBe(0)
        expect(yield* a.records.get(a.owner, "1", epoch)).toStrictEqual({ ...made[1], answer: "" })
        expect(yield* answersOf(b)).toStrictEqual(["🦊🦊", "newer", "é", ""])
      })
    )

    it.effect("concurrent prunes remove each record once", () =>
      Effect.gen(function* () {
        const { owner, records } = yield* setup
        const ancient = Date.UTC(1971, 0, 1)
        for (let at = 0; at < 40; at++) yield* records.put(owner, record({ created: ancient + at }))
        const old = timed<Outdated>({ before: ancient + 40, after: Number.MAX_SAFE_INTEGER })
        const first = yield* Effect.all(
          Array.from({ length: 4 }, () => records.prune(old, 10)),
          { concurrency: "unbounded" }
        )
        const rest = yield* records.prune(old, 40)
        expect(first.reduce((sum, count) => sum + count, rest)).toBe(40)
      })
    )

    it.effect("records exist only if their transaction succeeded", () =>
      Effect.gen(function* () {
        const { owner, records, storage } = yield* setup
        const made = record()
        const put = records.put(owner, made)
        const seen = yield* storage
          .transact(owner, () =>
            Effect.gen(function* () {
              yield* put
              expect(yield* records.get(owner, made.key, epoch)).toStrictEqual(made)
              return yield* new Conflict({ message: "back" })
            })
          )
          .pipe(Effect.flip)
        expect(seen._tag).toBe("Conflict")
        expect(yield* records.get(owner, made.key, epoch)).toBeUndefined()
        yield* storage.transact(owner, () => put)
        expect(yield* records.get(owner, made.key, epoch)).toStrictEqual(made)
      })
    )

    it.effect("get and put in one transaction let only one of several concurrent writes take effect", () =>
      Effect.gen(function* () {
        const { owner, records, storage } = yield* setup
        const key = freshId()
        const once = storage.transact(owner, (writeTimestamp) =>
          Effect.gen(function* () {
            const known = yield* records.get(owner, key, epoch)
            if (known !== undefined) return known.answer
            yield* Effect.yieldNow
            yield* records.put(owner, record({ key, answer: `${writeTimestamp}` }))
            return `${writeTimestamp}`
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
