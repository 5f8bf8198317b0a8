import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore, type QuotaSlot } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { at, freshId, key, newAccount, newList, noon } from "./Fixtures.ts"
import { newKey } from "./KeyFixtures.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

type Ports = AccountStore | KeyStore | ListStore | Storage

const minute = 60_000
const hour = 60 * minute

const admittedOf = (slots: ReadonlyArray<QuotaSlot | undefined>): number =>
  slots.filter((slot) => slot?.admitted === true).length

/**
 * How `KeyStore` admits and counts requests, for any adapter. `knowsStamps` is false for one that keeps data apart from
 * keys and so knows no write timestamps.
 */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>, { knowsStamps = true } = {}): void => {
  const stampsOf = (lastWrite: number, settingsChanged: number) =>
    knowsStamps ? { stamps: { lastWrite, settingsChanged } } : {}
  withLayer(layer, { excludeTestServices: true })(`${name}: KeyStore, admission`, (it) => {
    describe("admit", () => {
      it.effect("returns the key, its account and the remaining requests", () =>
        Effect.gen(function* () {
          const { made, account, admit } = yield* newKey({ rateLimit: 3 })
          expect(yield* admit(noon)).toStrictEqual({
            key: { ...made, lastUsed: noon },
            account,
            ...stampsOf(0, 0),
            admitted: true,
            remaining: 2,
            resetAt: noon + hour
          })
        })
      )

      it.effect("returns the times of the account's last write and of the last change of its settings or places", () =>
        Effect.gen(function* () {
          yield* newAccount()
          const { account, admit } = yield* newKey()
          const storage = yield* Storage
          const accounts = yield* AccountStore
          const settings = accounts.put({ ...account, timezone: "Asia/Tokyo" })
          const changed = yield* at(noon)(
            storage.transact(account.id, (writeTimestamp) => Effect.as(settings, writeTimestamp))
          )
          const last = yield* at(noon)(storage.transact(account.id, Effect.succeed))
          expect(last).toBeGreaterThan(changed)
          yield* newAccount()
          // The second request is counted in advance.
          for (const { stamps } of [(yield* admit(noon))!, (yield* admit(noon))!])
            expect(stamps === undefined ? {} : { stamps }).toStrictEqual(stampsOf(last, changed))
        })
      )

      it.effect("counts up to the limit and refuses further requests without counting them", () =>
        Effect.gen(function* () {
          const { admitTimes } = yield* newKey({ rateLimit: 5 })
          const seen = []
          for (const requests of [2, 2, 4, 1]) {
            const slots = yield* admitTimes(requests, noon)
            seen.push(slots.map((slot) => [slot?.admitted, slot?.remaining]))
          }
          expect(seen).toStrictEqual([
            [
              [true, 4],
              [true, 3]
            ],
            [
              [true, 2],
              [true, 1]
            ],
            [
              [true, 0],
              [false, 0],
              [false, 0],
              [false, 0]
            ],
            [[false, 0]]
          ])
        })
      )

      it.effect("begins a new window with the first request after the previous one ended", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 2 })
          const seen = []
          for (const now of [0, hour - 1, hour - 1, hour, hour + minute, 5 * hour, 6 * hour - 1, 6 * hour]) {
            const slot = yield* admit(noon + now)
            seen.push([slot?.admitted, slot?.remaining, slot!.resetAt - noon])
          }
          expect(seen).toStrictEqual([
            [true, 1, hour],
            [true, 0, hour],
            [false, 0, hour],
            [true, 1, 2 * hour],
            [true, 0, 2 * hour],
            [true, 1, 6 * hour],
            [true, 0, 6 * hour],
            [true, 1, 7 * hour]
          ])
        })
      )

      it.effect("rounds the beginning of a window down to the full second of its first request", () =>
        Effect.gen(function* () {
          const { admit } = yield* newKey({ rateLimit: 1 })
          const seen = []
          for (const now of [1, 999, hour - 1, hour, 2 * hour + 750, 3 * hour - 1, 3 * hour]) {
            const slot = yield* admit(noon + now)
            seen.push([slot?.admitted, slot!.resetAt - noon])
          }
          expect(seen).toStrictEqual([
            [true, hour],
            [false, hour],
            [false, hour],
            [true, 2 * hour],
            [true, 3 * hour],
            [false, 3 * hour],
            [true, 4 * hour]
          ])
        })
      )

      it.effect("never returns a reset time in the past when the clock is set back", () =>
        Effect.gen(function* () {
          const { admit, admitTimes } = yield* newKey({ rateLimit: 2 })
          yield* admit(noon)
          const slots = yield* admitTimes(5, noon - minute)
          expect(admittedOf(slots)).toBe(1)
          for (const slot of slots) expect(slot!.resetAt).toBeGreaterThan(noon - minute)
        })
      )

      it.effect("treats a window that begins in the future, by a clock that was ahead, as over", () =>
        Effect.gen(function* () {
          const { keys, made, admit, admitTimes } = yield* newKey({ rateLimit: 2 })
          expect(admittedOf(yield* admitTimes(5, noon + 8760 * hour))).toBe(2)
          expect(yield* admit(noon + 8760 * hour - minute)).toEqual(
            expect.objectContaining({ admitted: false, remaining: 0 })
          )
          const fresh = yield* admitTimes(5, noon)
          expect(admittedOf(fresh)).toBe(2)
          expect(fresh[0]).toEqual(expect.objectContaining({ admitted: true, remaining: 1, resetAt: noon + hour }))
          expect((yield* keys.get(made.id))?.lastUsed).toBe(noon)
          const later = yield* admit(noon - 2 * minute)
          expect(later).toEqual(
            expect.objectContaining({ admitted: true, remaining: 1, resetAt: noon - 2 * minute + hour })
          )
        })
      )

      it.effect("is exact for concurrent requests", () =>
        Effect.gen(function* () {
          const { admitTimes } = yield* newKey({ rateLimit: 50 })
          const slots = yield* admitTimes(80, noon)
          expect(slots.map((slot) => slot?.admitted)).toStrictEqual(Array.from({ length: 80 }, (_, n) => n < 50))
          const remaining = slots.slice(0, 50).map((slot) => slot?.remaining)
          expect(remaining).toStrictEqual(Array.from({ length: 50 }, (_, n) => 49 - n))
        })
      )

      it.effect("counts each key separately", () =>
        Effect.gen(function* () {
          const { keys, account, admit } = yield* newKey({ rateLimit: 1 })
          const sibling = key(account.id, { rateLimit: 1 })
          yield* keys.insert(sibling)
          expect((yield* admit(noon))?.admitted).toBe(true)
          expect((yield* at(noon)(keys.admit(sibling.id, sibling.secretHash)))?.admitted).toBe(true)
        })
      )

      it.effect("counts concurrent requests of many keys like those of one", () =>
        Effect.gen(function* () {
          const { keys, account, made, admitTimes } = yield* newKey({ rateLimit: 5 })
          const other = yield* newKey({ rateLimit: 2 })
          const revoked = yield* newKey()
          yield* keys.revoke(revoked.made.id, noon)
          const presented = [
            other.made,
            { ...made, id: "unknown" },
            revoked.made,
            made,
            { ...made, secretHash: other.made.secretHash },
            other.made,
            made,
            other.made,
            made
          ]
          const slots = yield* Effect.forEach(presented, ({ id, secretHash }) => at(noon)(keys.admit(id, secretHash)), {
            concurrency: "unbounded"
          })
          const slot = (of: ApiKey, account: Account, admitted: boolean, remaining: number): QuotaSlot => ({
            key: { ...of, lastUsed: noon },
            account,
            ...stampsOf(0, 0),
            admitted,
            remaining,
            resetAt: addMillis(noon, hour)
          })
          expect(slots).toStrictEqual([
            slot(other.made, other.account, true, 1),
            undefined,
            undefined,
            slot(made, account, true, 4),
            undefined,
            slot(other.made, other.account, true, 0),
            slot(made, account, true, 3),
            slot(other.made, other.account, false, 0),
            slot(made, account, true, 2)
          ])
          expect(admittedOf(yield* admitTimes(9, noon + 1))).toBe(2)
        })
      )

      it.effect("counts nothing for a wrong secret or a revoked key", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          const other = yield* newKey()
          const wrong = ["", made.secretHash.slice(1), made.secretHash.toUpperCase(), other.made.secretHash]
          for (const secretHash of wrong) expect(yield* keys.admit(made.id, secretHash)).toBeUndefined()
          expect((yield* keys.get(made.id))!.lastUsed).toBeNull()
          expect((yield* admit(noon))?.remaining).toBe(1)
        })
      )

      it.effect("refuses a wrong secret and a revoked key at once, also where requests are counted in advance", () =>
        Effect.gen(function* () {
          const { account, admit, keys, made } = yield* newKey({ rateLimit: 1_000 })
          const sibling = key(account.id, { rateLimit: 1_000 })
          yield* keys.insert(sibling)
          const admitSibling = at(noon)(keys.admit(sibling.id, sibling.secretHash))
          const slots = yield* Effect.all([admit(noon), admitSibling, admit(noon), admitSibling, admit(noon)])
          expect(slots.map((slot) => slot?.remaining)).toStrictEqual([999, 999, 998, 998, 997])
          expect(yield* at(noon)(keys.admit(made.id, sibling.secretHash))).toBeUndefined()
          expect((yield* admit(noon))?.remaining).toBe(996)
          yield* keys.revoke(made.id, noon)
          expect(yield* admit(noon)).toBeUndefined()
          expect((yield* admitSibling)?.remaining).toBe(997)
        })
      )

      it.effect("stores lastUsed to the minute, and never moves it back", () =>
        Effect.gen(function* () {
          const { keys, account, made, admit } = yield* newKey()
          for (const now of [noon + 1_234, noon + 30 * minute + 59_999]) {
            yield* admit(now)
            expect((yield* keys.get(made.id))?.lastUsed).toBe(Math.floor(now / minute) * minute)
          }
          yield* admit(noon + 29 * minute)
          const [listed] = yield* keys.list(account.id)
          expect(listed?.lastUsed).toBe(noon + 30 * minute)
        })
      )

      it.effect("with a read returns its result, from the current account", () =>
        Effect.gen(function* () {
          const { account, keys, made } = yield* newKey({ rateLimit: 4 })
          const lists = yield* ListStore
          const accounts = yield* AccountStore
          const read = ({ id, timezone }: Account) =>
            Effect.map(lists.page(id, 0, 9), ({ items }) => [timezone, ...items.map(({ title }) => title)])
          const readWith = Effect.gen(function* () {
            const admitted = yield* at(noon)(keys.admitWith(made.id, made.secretHash, read))
            return [admitted!.slot.remaining, ...(yield* admitted!.found)]
          })
          expect(yield* readWith).toStrictEqual([3, account.timezone])
          yield* newList(account.id, { title: "Home" })
          expect(yield* readWith).toStrictEqual([2, account.timezone, "Home"])
          const moved = { ...account, timezone: "Asia/Tokyo" }
          yield* accounts.put(moved)
          expect(yield* readWith).toStrictEqual([1, "Asia/Tokyo", "Home"])
          expect((yield* at(noon)(keys.admitWith(made.id, made.secretHash, read)))?.slot).toStrictEqual({
            key: { ...made, lastUsed: noon },
            account: moved,
            ...stampsOf(0, 0),
            admitted: true,
            remaining: 0,
            resetAt: addMillis(noon, hour)
          })
        })
      )

      it.effect("with a read refuses like without one, whether or not the key was admitted before", () =>
        Effect.gen(function* () {
          const { keys, made, admit } = yield* newKey({ rateLimit: 2 })
          const readAs = (secretHash: string) =>
            at(noon)(keys.admitWith(made.id, secretHash, () => Effect.succeed("seen")))
          expect(yield* readAs("other")).toBeUndefined()
          expect((yield* readAs(made.secretHash))?.slot.remaining).toBe(1)
          expect(yield* readAs("other")).toBeUndefined()
          expect((yield* admit(noon))?.remaining).toBe(0)
          for (const _ of [1, 2]) expect((yield* readAs(made.secretHash))?.slot.admitted).toBe(false)
          yield* keys.revoke(made.id, noon)
          for (const _ of [1, 2]) expect(yield* readAs(made.secretHash)).toBeUndefined()
        })
      )

      it.effect("returns the current account", () =>
        Effect.gen(function* () {
          const { account, admit } = yield* newKey()
          const renamed = { ...account, name: freshId(), timezone: "Asia/Tokyo" }
          yield* Effect.flatMap(AccountStore, (accounts) => accounts.put(renamed))
          expect((yield* admit(noon))?.account).toStrictEqual(renamed)
        })
      )
    })
  })
}
