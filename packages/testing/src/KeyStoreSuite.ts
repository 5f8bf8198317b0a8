import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
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

/** The contract of `KeyStore`, for any adapter. */
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
          expect(yield* keys.get(made.id)).toStrictEqual(made)
        }
      })
    )

    it.effect("an unknown or malformed id is unknown", () =>
      Effect.gen(function* () {
        const { keys, made } = yield* newKey()
        for (const id of [...malformedIds, made.id.toUpperCase() + "x", "%"]) {
          expect(yield* keys.get(id)).toBeUndefined()
          expect(yield* keys.revoke(id, noon)).toBe(false)
          expect(yield* keys.admit({ id: id, secretHash: made.secretHash, requests: 1 }, noon)).toBeUndefined()
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
        expect(yield* keys.list(account.id)).toStrictEqual(mine)
        const ids = new Set([...mine, other.made].map(({ id }) => id))
        const all = (yield* keys.list()).filter(({ id }) => ids.has(id))
        expect(all).toStrictEqual([...mine, other.made].toSorted(order))
      })
    )

    it.effect("revoke keeps the first moment, and tells whether there is such a key", () =>
      Effect.gen(function* () {
        const { keys, made, admit } = yield* newKey()
        expect(yield* keys.revoke(made.id, noon)).toBe(true)
        expect(yield* keys.revoke(made.id, noon + minute)).toBe(true)
        expect((yield* keys.get(made.id))?.revoked).toBe(noon)
        expect(yield* admit(1, noon + 1)).toBeUndefined()
      })
    )

    describe("admit", () => {
      it.effect("answers the key, its account and what it counted", () =>
        Effect.gen(function* () {
          const { made, account, admit } = yield* newKey({ rateLimit: 3 })
          const admission = yield* admit(1, noon)
          if (admission === undefined) return expect.fail("a key that was inserted is admitted")
          expect(admission.account).toStrictEqual(account)
          expect({ ...admission.key, lastUsed: null }).toStrictEqual(made)
          expect(admission.admitted).toBe(1)
          expect(admission.used).toBe(1)
          expect(admission.resetAt).toBe(noon + hour)
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
          expect(counts).toStrictEqual([
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
          expect(seen).toStrictEqual([
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
          expect(admission?.admitted).toBe(1)
          expect(admission!.resetAt).toBeGreaterThan(noon - minute)
        })
      )

      it.effect("takes a window for over that begins in the future: the clock was ahead when it began", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          expect((yield* admit(5, noon + 8760 * hour))?.admitted).toBe(2)
          const refused = yield* admit(5, noon + 8760 * hour - minute)
          expect(refused).toEqual(expect.objectContaining({ admitted: 0, used: 2 }))
          const fresh = yield* admit(5, noon)
          expect(fresh).toEqual(expect.objectContaining({ admitted: 2, used: 2, resetAt: noon + hour }))
          expect((yield* keys.get(made.id))?.lastUsed).toBe(noon)
          const asked = [{ id: made.id, secretHash: made.secretHash, requests: 1 }]
          const [later] = yield* keys.admitAll(asked, noon - 2 * minute)
          expect(later).toEqual(expect.objectContaining({ admitted: 1, used: 1, resetAt: noon - 2 * minute + hour }))
        })
      )

      it.effect("is exact for requests that race", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 50 })
          const race = Array.from({ length: 40 }, () => admit(2, noon))
          const answers = yield* Effect.all(race, { concurrency: "unbounded" })
          expect(answers.reduce((sum, admission) => sum + admission!.admitted, 0)).toBe(50)
          expect(Math.max(...answers.map((admission) => admission!.used))).toBe(50)
        })
      )

      it.effect("counts each key apart", () =>
        Effect.gen(function* () {
          const { keys, account, admit } = yield* newKey({ rateLimit: 1 })
          const sibling = key(account.id, { rateLimit: 1 })
          yield* keys.insert(sibling)
          expect((yield* admit(1, noon))?.admitted).toBe(1)
          expect(
            (yield* keys.admit({ id: sibling.id, secretHash: sibling.secretHash, requests: 1 }, noon))?.admitted
          ).toBe(1)
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
          expect([unknown, gone, wrong]).toStrictEqual([undefined, undefined, undefined])
          expect(first).toEqual(
            expect.objectContaining({ key: { ...other.made, lastUsed: noon }, account: other.account })
          )
          expect(first).toEqual(expect.objectContaining({ admitted: 2, used: 2, resetAt: noon + hour }))
          expect(fourth).toEqual(expect.objectContaining({ key: { ...made, lastUsed: noon }, admitted: 2, used: 2 }))
          expect(yield* keys.admit(ask(made, 9), noon + 1)).toEqual(
            expect.objectContaining({ admitted: 3, used: 5, resetAt: noon + hour })
          )
          expect(yield* keys.admitAll([], noon)).toStrictEqual([])
        })
      )

      it.effect("counts nothing for a wrong secret or a revoked key", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          const other = yield* newKey()
          const wrong = ["", made.secretHash.slice(1), made.secretHash.toUpperCase(), other.made.secretHash]
          for (const secretHash of wrong)
            expect(yield* keys.admit({ id: made.id, secretHash: secretHash, requests: 1 }, noon)).toBeUndefined()
          expect((yield* keys.get(made.id))!.lastUsed).toBeNull()
          expect((yield* admit(1, noon))?.used).toBe(1)
        })
      )

      it.effect("keeps lastUsed to the minute, and never moves it back", () =>
        Effect.gen(function* () {
          const { keys, account, made, admit } = yield* newKey()
          for (const now of [noon + 1_234, noon + 30 * minute + 59_999]) {
            yield* admit(1, now)
            expect((yield* keys.get(made.id))?.lastUsed).toBe(Math.floor(now / minute) * minute)
          }
          yield* admit(1, noon + 29 * minute)
          const [listed] = yield* keys.list(account.id)
          expect(listed?.lastUsed).toBe(noon + 30 * minute)
        })
      )

      it.effect("sees the account as it is now", () =>
        Effect.gen(function* () {
          const { account, admit } = yield* newKey()
          const renamed = { ...account, name: freshId(), timezone: "Asia/Tokyo" }
          yield* Effect.flatMap(AccountStore, (accounts) => accounts.put(renamed))
          expect((yield* admit(1, noon))?.account).toStrictEqual(renamed)
        })
      )
    })
  })
}
