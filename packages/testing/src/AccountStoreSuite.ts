import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Conflict } from "@lists-and-things/domain/model/Errors"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import { listSorts } from "@lists-and-things/domain/model/List"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { thingTypes } from "@lists-and-things/domain/model/Thing"
import {
  account,
  freshId,
  hostileTexts,
  key,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  place,
  placeTrigger,
  reminder
} from "./Fixtures.ts"
import { addMillis, epoch } from "@lists-and-things/domain/model/EpochMillis"

type Ports = Storage | AccountStore | KeyStore | ListStore | ThingStore | ReminderStore | PlaceStore | IdempotencyStore

const set: Omit<Account, "id" | "email"> = {
  name: "Grace 🦊 O'Hopper",
  timezone: "America/New_York",
  defaultThingType: "bullet",
  defaultListSort: "alphabetical",
  defaultReminderMinutes: 525_600,
  defaultAlertMinutes: 15,
  defaultReminderColor: "#00ff7f",
  repeatMovesToDay: false,
  allDayAt: "07:30",
  created: addMillis(noon, -77)
}

const unset = { passwordHash: null, feedToken: null, passwordLink: null }

/** The contract of `AccountStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: AccountStore`, (it) => {
    it.effect("insert and put keep every setting", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const full = account(set)
        const plain = account()
        expect(yield* accounts.insert(full)).toBe(true)
        expect(yield* accounts.insert(plain)).toBe(true)
        expect(yield* accounts.get(full.id)).toStrictEqual(full)
        const changed = { ...plain, ...set, email: `new-${plain.email}` }
        expect(yield* accounts.put(changed)).toBe(true)
        expect(yield* accounts.get(plain.id)).toStrictEqual(changed)
        expect(yield* accounts.byEmail(plain.email)).toBeUndefined()
        expect(yield* accounts.byEmail(changed.email)).toStrictEqual(changed)
      })
    )

    it.effect("insert keeps every kind of default and any name", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        for (const defaultThingType of thingTypes)
          for (const defaultListSort of listSorts) yield* newAccount({ defaultThingType, defaultListSort })
        for (const text of hostileTexts) {
          const made = yield* newAccount({ name: text })
          expect(yield* accounts.get(made.id)).toStrictEqual(made)
        }
      })
    )

    it.effect("an unknown or malformed id has no account and no secrets", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        for (const id of [...malformedIds, freshId()]) {
          expect(yield* accounts.get(id)).toBeUndefined()
          expect(yield* accounts.remove(AccountId.make(id))).toBe(false)
          expect(yield* accounts.secrets(AccountId.make(id))).toStrictEqual(unset)
        }
      })
    )

    it.effect("emails are found ignoring case and stored as written", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const made = yield* newAccount({ email: `Grace.${freshId()}@Straße.Example` })
        expect(yield* accounts.byEmail(made.email.toUpperCase())).toStrictEqual(made)
        expect(yield* accounts.byEmail(made.email.toLowerCase())).toStrictEqual(made)
        for (const other of [made.email.slice(1), `${made.email}x`, "%", ""])
          expect(yield* accounts.byEmail(other)).toBeUndefined()
      })
    )

    it.effect("insert and put refuse an email of another account, and insert an existing id", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const first = yield* newAccount()
        const second = yield* newAccount()
        expect(yield* accounts.insert(account({ email: first.email.toUpperCase() }))).toBe(false)
        expect(yield* accounts.insert(account({ id: first.id, name: "other" }))).toBe(false)
        expect(yield* accounts.put({ ...second, email: first.email.toUpperCase(), name: "taken" })).toBe(false)
        expect(yield* accounts.get(first.id)).toStrictEqual(first)
        expect(yield* accounts.get(second.id)).toStrictEqual(second)
        expect(yield* accounts.put({ ...first, email: first.email.toUpperCase() })).toBe(true)
      })
    )

    it.effect("only one of several concurrent inserts of an email succeeds", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const email = `${freshId()}@example.com`
        const race = Array.from({ length: 8 }, () => accounts.insert(account({ email })))
        const answers = yield* Effect.all(race, { concurrency: "unbounded" })
        expect(answers.filter(Boolean)).toHaveLength(1)
      })
    )

    it.effect("all is sorted by created, then id", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const made = yield* Effect.forEach([5, 1, 1, 1, 3], (offset) => newAccount({ created: noon + offset }))
        const ids = new Set(made.map(({ id }) => id))
        const expected = made.toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))
        const all = yield* accounts.all
        expect(all.filter(({ id }) => ids.has(id))).toStrictEqual(expected)
      })
    )

    it.effect("isEmpty is false when there is an account, and none is the only one where there are several", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        yield* newAccount()
        expect(yield* accounts.isEmpty).toBe(false)
        yield* newAccount()
        expect(yield* accounts.only).toBeUndefined()
      })
    )

    describe("secrets", () => {
      it.effect("are unset at first, and independent of the settings", () =>
        Effect.gen(function* () {
          const accounts = yield* AccountStore
          const made = yield* newAccount()
          expect(yield* accounts.secrets(made.id)).toStrictEqual(unset)
          const secrets = {
            passwordHash: "$scrypt$ln=17,r=8,p=1$c2FsdA$aGFzaA",
            feedToken: freshId(),
            passwordLink: { hash: freshId(), expires: noon }
          }
          yield* accounts.putSecrets(made.id, secrets)
          expect(yield* accounts.secrets(made.id)).toStrictEqual(secrets)
          yield* accounts.put({ ...made, name: "renamed" })
          expect(yield* accounts.secrets(made.id)).toStrictEqual(secrets)
          yield* accounts.putSecrets(made.id, unset)
          expect(yield* accounts.secrets(made.id)).toStrictEqual(unset)
        })
      )

      it.effect("give the account for its exact feed token only", () =>
        Effect.gen(function* () {
          const accounts = yield* AccountStore
          const made = yield* newAccount()
          yield* newAccount()
          const feedToken = `Ab_${freshId()}`
          yield* accounts.putSecrets(made.id, { ...unset, feedToken })
          expect(yield* accounts.byFeedToken(feedToken)).toStrictEqual(made)
          for (const other of [feedToken.toLowerCase(), feedToken.slice(1), "", "null", "%"])
            expect(yield* accounts.byFeedToken(other)).toBeUndefined()
          yield* accounts.putSecrets(made.id, unset)
          expect(yield* accounts.byFeedToken(feedToken)).toBeUndefined()
        })
      )

      it.effect("give the account for the exact hash of its password link only", () =>
        Effect.gen(function* () {
          const accounts = yield* AccountStore
          const made = yield* newAccount()
          yield* newAccount()
          const hash = `ab${freshId()}`
          yield* accounts.putSecrets(made.id, { ...unset, passwordLink: { hash, expires: noon } })
          expect(yield* accounts.byPasswordLink(hash)).toStrictEqual(made)
          for (const other of [hash.toUpperCase(), hash.slice(1), "", "null", "%"])
            expect(yield* accounts.byPasswordLink(other)).toBeUndefined()
          yield* accounts.putSecrets(made.id, unset)
          expect(yield* accounts.byPasswordLink(hash)).toBeUndefined()
        })
      )
    })

    it.effect("remove also removes everything that the account owns, and nothing else", () =>
      Effect.gen(function* () {
        const owners = [yield* newAccount(), yield* newAccount()]
        const owned = yield* Effect.forEach(owners, own)
        const accounts = yield* AccountStore
        const gone = owners[0]!.id
        expect(yield* accounts.remove(gone)).toBe(true)
        expect(yield* accounts.remove(gone)).toBe(false)
        expect(yield* accounts.get(gone)).toBeUndefined()
        expect(yield* accounts.byEmail(owners[0]!.email)).toBeUndefined()
        expect(yield* countOf(gone)).toStrictEqual([0, 0, 0, 0, 0, 0])
        expect(yield* Effect.flatMap(KeyStore, (keys) => keys.get(owned[0]!.id))).toBeUndefined()
        const admission = yield* Effect.flatMap(KeyStore, (keys) => keys.admit(owned[0]!.id, owned[0]!.secretHash))
        expect(admission).toBeUndefined()
        expect(yield* countOf(owners[1]!.id)).toStrictEqual([1, 1, 2, 2, 1, 1])
        const error = yield* Effect.flip(
          Effect.flatMap(Storage, (storage) => storage.transact(gone, () => Effect.void))
        )
        expect(error._tag).toBe("NotFound")
      })
    )

    it.effect("put and putSecrets join a transaction and are rolled back with it", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const storage = yield* Storage
        const made = yield* newAccount()
        const secrets = { ...unset, passwordHash: "hash", feedToken: freshId() }
        yield* storage
          .transact(made.id, () =>
            Effect.gen(function* () {
              yield* accounts.put({ ...made, name: "renamed" })
              yield* accounts.putSecrets(made.id, secrets)
              expect((yield* accounts.get(made.id))?.name).toBe("renamed")
              return yield* new Conflict({ message: "back" })
            })
          )
          .pipe(Effect.flip)
        expect(yield* accounts.get(made.id)).toStrictEqual(made)
        expect(yield* accounts.secrets(made.id)).toStrictEqual(unset)
      })
    )
  })
}

const own = Effect.fnUntraced(function* (owner: Account) {
  const home = yield* newList(owner.id)
  const [timed, placed] = yield* newThings(owner.id, home.id, [{}, {}])
  const where = place(owner.id)
  const made = key(owner.id)
  yield* Effect.flatMap(PlaceStore, (places) => places.put(where))
  const reminders = yield* ReminderStore
  yield* reminders.put(owner.id, [reminder(timed!), reminder(placed!, { trigger: placeTrigger(where.id) })])
  yield* Effect.flatMap(KeyStore, (keys) => keys.insert(made))
  const records = yield* IdempotencyStore
  yield* records.put(owner.id, { key: "k", fingerprint: "f", answer: "{}", created: noon })
  return made
})

/** Counts the keys, lists, things, reminders, places and idempotency records of an owner. */
const countOf = Effect.fnUntraced(function* (owner: AccountId) {
  const record = yield* Effect.flatMap(IdempotencyStore, (records) => records.get(owner, "k", epoch))
  const things = yield* Effect.flatMap(ThingStore, (store) => store.page(owner, { sort: "created" }, 0, 50))
  return [
    (yield* Effect.flatMap(KeyStore, (keys) => keys.list(owner))).length,
    (yield* Effect.flatMap(ListStore, (lists) => lists.all(owner))).length,
    things.items.length,
    (yield* Effect.flatMap(ReminderStore, (reminders) => reminders.all(owner))).length,
    (yield* Effect.flatMap(PlaceStore, (places) => places.all(owner))).length,
    record === undefined ? 0 : 1
  ]
})
