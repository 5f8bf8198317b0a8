import { assert, describe, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import type { ApiKey } from "../caller/ApiKey.ts"
import { freshId, hostileTexts, key, malformedIds, newAccount, noon } from "./Fixtures.ts"

type Ports = AccountStore | KeyStore

const minute = 60_000
const hour = 60 * minute

const newKey = Effect.fnUntraced(function* (overrides: Partial<ApiKey> = {}) {
  const account = yield* newAccount()
  const made = key(account.id, overrides)
  const keys = yield* KeyStore
  yield* keys.insert(made)
  const admit = (requests: number, now: number) =>
    keys.admit({ id: made.id, secretHash: made.secretHash, requests: requests }, now)
  return { account, made, keys, admit }
})

/** What `KeyStore` promises, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: KeyStore`, (it) => {
    it.effect("insert and get keep every field", () =>
      Effect.gen(function* () {
        const { keys, account } = yield* newKey()
        const full = key(account.id, {
          name: "phone",
          scopes: ["search", "read:lists"],
          rateLimit: 7,
          created: noon + 5,
          lastUsed: noon,
          revoked: noon + 9
        })
        for (const made of [full, ...hostileTexts.map((text) => key(account.id, { name: text, scopes: [] }))]) {
          yield* keys.insert(made)
          assert.deepStrictEqual(yield* keys.get(made.id), made)
        }
      })
    )

    it.effect("an unknown or malformed id is unknown", () =>
      Effect.gen(function* () {
        const { keys, made } = yield* newKey()
        for (const id of [...malformedIds, made.id.toUpperCase() + "x", "%"]) {
          assert.isUndefined(yield* keys.get(id))
          assert.isFalse(yield* keys.revoke(id, noon))
          assert.isUndefined(yield* keys.admit({ id: id, secretHash: made.secretHash, requests: 1 }, noon))
        }
      })
    )

    it.effect("list goes by created, then id, of one owner or of all", () =>
      Effect.gen(function* () {
        const { keys, account, made } = yield* newKey({ created: noon + 2 })
        const other = yield* newKey({ created: noon + 3 })
        const more = [noon + 5, noon + 1, noon + 1, noon + 1].map((created) => key(account.id, { created }))
        yield* Effect.forEach(more, (one) => keys.insert(one))
        const order = (a: ApiKey, b: ApiKey) => a.created - b.created || (a.id < b.id ? -1 : 1)
        const mine = [made, ...more].toSorted(order)
        assert.deepStrictEqual(yield* keys.list(account.id), mine)
        const ids = new Set([...mine, other.made].map(({ id }) => id))
        const all = (yield* keys.list()).filter(({ id }) => ids.has(id))
        assert.deepStrictEqual(all, [...mine, other.made].toSorted(order))
      })
    )

    it.effect("revoke keeps the first moment, and tells whether there is such a key", () =>
      Effect.gen(function* () {
        const { keys, made, admit } = yield* newKey()
        assert.isTrue(yield* keys.revoke(made.id, noon))
        assert.isTrue(yield* keys.revoke(made.id, noon + minute))
        assert.strictEqual((yield* keys.get(made.id))?.revoked, noon)
        assert.isUndefined(yield* admit(1, noon + 1))
      })
    )

    describe("admit", () => {
      it.effect("answers the key, its account and what it counted", () =>
        Effect.gen(function* () {
          const { made, account, admit } = yield* newKey({ rateLimit: 3 })
          const admission = yield* admit(1, noon)
          assert.isDefined(admission)
          assert.deepStrictEqual(admission.account, account)
          assert.deepStrictEqual({ ...admission.key, lastUsed: null }, made)
          assert.strictEqual(admission.admitted, 1)
          assert.strictEqual(admission.used, 1)
          assert.strictEqual(admission.resetAt, noon + hour)
        })
      )

      it.effect("counts up to the limit and refuses the rest uncounted", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 5 })
          const counts = []
          for (const requests of [2, 2, 4, 1, 100]) {
            const admission = yield* admit(requests, noon)
            counts.push([admission?.admitted, admission?.used])
          }
          assert.deepStrictEqual(counts, [
            [2, 2],
            [2, 4],
            [1, 5],
            [0, 5],
            [0, 5]
          ])
        })
      )

      it.effect("begins a window with the first request after the last one ended", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 2 })
          const seen = []
          for (const now of [0, hour - 1, hour - 1, hour, hour + minute, 5 * hour, 6 * hour - 1, 6 * hour]) {
            const admission = yield* admit(1, noon + now)
            seen.push([admission?.admitted, admission?.used, admission!.resetAt - noon])
          }
          assert.deepStrictEqual(seen, [
            [1, 1, hour],
            [1, 2, hour],
            [0, 2, hour],
            [1, 1, 2 * hour],
            [1, 2, 2 * hour],
            [1, 1, 6 * hour],
            [1, 2, 6 * hour],
            [1, 1, 7 * hour]
          ])
        })
      )

      it.effect("never has its reset in the past when the clock steps back", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 2 })
          yield* admit(1, noon)
          const admission = yield* admit(5, noon - minute)
          assert.strictEqual(admission?.admitted, 1)
          assert.isAbove(admission!.resetAt, noon - minute)
        })
      )

      it.effect("takes a window for over that begins in the future: the clock was ahead when it began", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          assert.strictEqual((yield* admit(5, noon + 8760 * hour))?.admitted, 2)
          const refused = yield* admit(5, noon + 8760 * hour - minute)
          assert.deepInclude(refused, { admitted: 0, used: 2 })
          const fresh = yield* admit(5, noon)
          assert.deepInclude(fresh, { admitted: 2, used: 2, resetAt: noon + hour })
          assert.strictEqual((yield* keys.get(made.id))?.lastUsed, noon)
          const asked = [{ id: made.id, secretHash: made.secretHash, requests: 1 }]
          const [later] = yield* keys.admitAll(asked, noon - 2 * minute)
          assert.deepInclude(later, { admitted: 1, used: 1, resetAt: noon - 2 * minute + hour })
        })
      )

      it.effect("is exact for requests that race", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 50 })
          const race = Array.from({ length: 40 }, () => admit(2, noon))
          const answers = yield* Effect.all(race, { concurrency: "unbounded" })
          assert.strictEqual(
            answers.reduce((sum, admission) => sum + admission!.admitted, 0),
            50
          )
          assert.strictEqual(Math.max(...answers.map((admission) => admission!.used)), 50)
        })
      )

      it.effect("counts each key apart", () =>
        Effect.gen(function* () {
          const { keys, account, admit } = yield* newKey({ rateLimit: 1 })
          const sibling = key(account.id, { rateLimit: 1 })
          yield* keys.insert(sibling)
          assert.strictEqual((yield* admit(1, noon))?.admitted, 1)
          assert.strictEqual(
            (yield* keys.admit({ id: sibling.id, secretHash: sibling.secretHash, requests: 1 }, noon))?.admitted,
            1
          )
        })
      )

      it.effect("counts many keys in one step, in their order, as it counts one", () =>
        Effect.gen(function* () {
          const { keys, made } = yield* newKey({ rateLimit: 5 })
          const other = yield* newKey({ rateLimit: 2 })
          const revoked = yield* newKey()
          yield* keys.revoke(revoked.made.id, noon)
          const ask = ({ id, secretHash }: ApiKey, requests: number) => ({ id, secretHash, requests })
          const asked = [
            ask(other.made, 3),
            ask({ ...made, id: "unknown" }, 1),
            ask(revoked.made, 1),
            ask(made, 2),
            ask({ ...made, secretHash: other.made.secretHash }, 1)
          ]
          const [first, unknown, gone, fourth, wrong] = yield* keys.admitAll(asked, noon)
          assert.deepStrictEqual([unknown, gone, wrong], [undefined, undefined, undefined])
          assert.deepInclude(first, { key: { ...other.made, lastUsed: noon }, account: other.account })
          assert.deepInclude(first, { admitted: 2, used: 2, resetAt: noon + hour })
          assert.deepInclude(fourth, { key: { ...made, lastUsed: noon }, admitted: 2, used: 2 })
          assert.deepInclude(yield* keys.admit(ask(made, 9), noon + 1), { admitted: 3, used: 5, resetAt: noon + hour })
          assert.deepStrictEqual(yield* keys.admitAll([], noon), [])
        })
      )

      it.effect("counts nothing for a wrong secret or a revoked key", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          const other = yield* newKey()
          const wrong = ["", made.secretHash.slice(1), made.secretHash.toUpperCase(), other.made.secretHash]
          for (const secretHash of wrong)
            assert.isUndefined(yield* keys.admit({ id: made.id, secretHash: secretHash, requests: 1 }, noon))
          assert.isNull((yield* keys.get(made.id))!.lastUsed)
          assert.strictEqual((yield* admit(1, noon))?.used, 1)
        })
      )

      it.effect("keeps lastUsed to the minute, and never moves it back", () =>
        Effect.gen(function* () {
          const { keys, account, made, admit } = yield* newKey()
          for (const now of [noon + 1_234, noon + 30 * minute + 59_999]) {
            yield* admit(1, now)
            assert.strictEqual((yield* keys.get(made.id))?.lastUsed, Math.floor(now / minute) * minute)
          }
          yield* admit(1, noon + 29 * minute)
          const [listed] = yield* keys.list(account.id)
          assert.strictEqual(listed?.lastUsed, noon + 30 * minute)
        })
      )

      it.effect("sees the account as it is now", () =>
        Effect.gen(function* () {
          const { account, admit } = yield* newKey()
          const renamed = { ...account, name: freshId(), timezone: "Asia/Tokyo" }
          yield* Effect.flatMap(AccountStore, (accounts) => accounts.put(renamed))
          assert.deepStrictEqual((yield* admit(1, noon))?.account, renamed)
        })
      )
    })
  })
}
