import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { hostileTexts, key, malformedIds, noon } from "./Fixtures.ts"
import { newKey } from "./KeyFixtures.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

type Ports = AccountStore | KeyStore | ListStore | Storage

const minute = 60_000

/** The contract of `KeyStore`, for any adapter; how it admits requests is in `KeyAdmissionSuite`. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: KeyStore`, (it) => {
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

    it.effect("an unknown or malformed id is not found", () =>
      Effect.gen(function* () {
        const { keys, made } = yield* newKey()
        for (const id of [...malformedIds, made.id.toUpperCase() + "x", "%"]) {
          expect(yield* keys.get(id)).toBeUndefined()
          expect(yield* keys.revoke(id, noon)).toBe(false)
          expect(yield* keys.admit(id, made.secretHash)).toBeUndefined()
        }
      })
    )

    it.effect("list is sorted by created, then id, for one owner or all", () =>
      Effect.gen(function* () {
        const { keys, account, made } = yield* newKey({ created: noon + 2 })
        const other = yield* newKey({ created: noon + 3 })
        const more = [noon + 5, noon + 1, noon + 1, noon + 1].map((created) => key(account.id, { created }))
        yield* Effect.forEach(more, (one) => keys.insert(one))
        const order = (a: ApiKey, b: ApiKey) => a.created - b.created || (a.id < b.id ? -1 : 1)
        const mine = [made, ...more].toSorted(order)
        expect(yield* keys.list(account.id)).toStrictEqual(mine)
        expect(yield* keys.valid(account.id)).toStrictEqual(mine)
        const ids = new Set([...mine, other.made].map(({ id }) => id))
        const all = (yield* keys.list()).filter(({ id }) => ids.has(id))
        expect(all).toStrictEqual([...mine, other.made].toSorted(order))
      })
    )

    it.effect("revoke keeps the first time, and returns whether the key exists", () =>
      Effect.gen(function* () {
        const { account, keys, made, admit } = yield* newKey()
        expect(yield* keys.revoke(made.id, noon)).toBe(true)
        expect(yield* keys.revoke(made.id, addMillis(noon, minute))).toBe(true)
        expect(yield* keys.valid(account.id)).toStrictEqual([])
        expect((yield* keys.get(made.id))?.revoked).toBe(noon)
        expect(yield* admit(noon + 1)).toBeUndefined()
      })
    )

    it.effect("revokeAll revokes those of one account that are not revoked, and returns how many", () =>
      Effect.gen(function* () {
        const { account, keys, made, admit } = yield* newKey()
        const [second, other] = [key(account.id), yield* newKey()]
        yield* keys.insert(second)
        yield* keys.revoke(made.id, noon)
        expect(yield* keys.revokeAll(account.id, addMillis(noon, minute))).toBe(1)
        expect(yield* keys.revokeAll(account.id, addMillis(noon, minute))).toBe(0)
        expect((yield* keys.get(made.id))?.revoked).toBe(noon)
        expect((yield* keys.get(second.id))?.revoked).toBe(noon + minute)
        expect(yield* admit(noon + 1)).toBeUndefined()
        expect((yield* keys.get(other.made.id))?.revoked).toBeNull()
      })
    )
  })
}
