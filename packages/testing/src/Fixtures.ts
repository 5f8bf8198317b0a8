import { randomBytes, randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { initialSettings } from "@lists-and-things/domain/caller/AccountSettings"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { AccountId, ListId, PlaceId, ReminderId, ThingId } from "@lists-and-things/domain/model/Ids"
import type { List } from "@lists-and-things/domain/model/List"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import type { PlaceTrigger, Reminder, TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import { defaultContent, type Thing } from "@lists-and-things/domain/model/Thing"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** 2026-11-21T12:00:00.000Z, the default time of every fixture. */
export const noon = EpochMillis(Date.UTC(2026, 10, 21, 12))

/** The first and the last millisecond of the years 0001 to 9999. */
export const earliest = EpochMillis(-62_135_596_800_000)
export const latest = EpochMillis(253_402_300_799_999)

/** `A` with plain numbers for its times, so that tests write literals and sums. */
export type Plain<A> = A extends EpochMillis
  ? number
  : A extends string | number | boolean | null | undefined
    ? A
    : { readonly [Key in keyof A]: Plain<A[Key]> }

/** The value of a domain type that `plain` stands for. */
export const timed = <A>(plain: Plain<A>): A => plain as A

/** A fresh random id, so that tests share a storage without seeing each other. */
export const freshId = (): string => randomUUID()

/** Ids that do not have the form of an id; all must behave as unknown ones. */
export const malformedIds: ReadonlyArray<string> = [
  "",
  " ",
  "1",
  "null",
  "not-an-id",
  "00000000-0000-0000-0000-00000000000",
  "{3f2504e0-4f89-41d3-9a0c-0305e82c3301}",
  "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
  "3f2504e04f8941d39a0c0305e82c3301",
  "' or 1=1 --",
  "🦊",
  "x".repeat(10_000)
]

/** Texts that break careless quoting, escaping, folding or JSON encoding. */
export const hostileTexts: ReadonlyArray<string> = [
  "👩‍👩‍👧‍👦 emoji 🏳️‍🌈 e\u0301 \u{1F98A}",
  "x".repeat(10_000),
  "🦊".repeat(5_000),
  `"double" 'single' \`back\` \\ \\\\ \\n`,
  "line\nbreak\r\n\ttab \u0001 \u001f \u007f \u2028 \u2029 \ufeff",
  '{}[],{"a":"b"},(1,2) NULL $1 :name %s ; -- /* */',
  "% _ \\ %_\\",
  "עברית العربية 日本語 ﷽ İıŞß"
]

export const account = (overrides: Partial<Plain<Account>> = {}): Account => {
  const id = AccountId.make(freshId())
  return timed<Account>({
    id,
    email: `${id}@example.com`,
    ...initialSettings,
    created: noon,
    ...overrides
  })
}

export const key = (accountId: AccountId, overrides: Partial<Plain<ApiKey>> = {}): ApiKey =>
  timed<ApiKey>({
    id: randomBytes(6).toString("hex"),
    accountId,
    name: "",
    scopes: [...scopes],
    rateLimit: 1000,
    secretHash: randomBytes(32).toString("hex"),
    created: noon,
    lastUsed: null,
    revoked: null,
    ...overrides
  })

export const list = (owner: AccountId, overrides: Partial<Plain<List>> = {}): List =>
  timed<List>({
    id: ListId.make(freshId()),
    owner,
    title: "A list",
    emoji: "",
    day: null,
    favorited: false,
    archived: false,
    sort: "chronological",
    created: noon,
    updated: noon,
    ...overrides
  })

export const thing = (owner: AccountId, listId: ListId, overrides: Partial<Plain<Thing>> = {}): Thing =>
  timed<Thing>({
    id: ThingId.make(freshId()),
    owner,
    listId,
    position: { sortTime: overrides.created ?? noon, sequence: 0 },
    tabs: 0,
    favorited: false,
    cloneOf: null,
    hasClones: false,
    ...defaultContent,
    text: "A thing",
    created: noon,
    updated: noon,
    ...overrides
  })

export const place = (owner: AccountId, overrides: Partial<SavedPlace> = {}): SavedPlace => ({
  id: PlaceId.make(freshId()),
  owner,
  name: "A place",
  address: "",
  latitude: null,
  longitude: null,
  radiusMeters: 100,
  ...overrides
})

export const timeTrigger = (at: number, overrides: Partial<Plain<TimeTrigger>> = {}): TimeTrigger =>
  timed<TimeTrigger>({
    _tag: "Time",
    at,
    allDay: false,
    first: new Date(at).toISOString().slice(0, -1),
    rule: { repeat: "none", every: 1, days: [], until: null },
    durationMinutes: null,
    end: null,
    ...overrides
  })

export const placeTrigger = (placeId: PlaceId, overrides: Partial<PlaceTrigger> = {}): PlaceTrigger => ({
  _tag: "Place",
  placeId,
  on: "arrive",
  radiusMeters: null,
  ...overrides
})

export const reminder = (of: Thing, overrides: Partial<Plain<Reminder>> = {}): Reminder =>
  timed<Reminder>({
    id: ReminderId.make(freshId()),
    owner: of.owner,
    thingId: of.id,
    trigger: timeTrigger(noon),
    alertMinutes: 0,
    secondAlertMinutes: 0,
    color: "",
    created: noon,
    ...overrides
  })

/** Stores a new account. */
export const newAccount = Effect.fnUntraced(function* (overrides: Partial<Plain<Account>> = {}) {
  const made = account(overrides)
  const stored = yield* Effect.flatMap(AccountStore, (accounts) => accounts.insert(made))
  if (!stored) return yield* Effect.die(new Error(`an account of this email or id exists: ${made.email}`))
  return made
})

/** Stores a list with the given overrides. */
export const newList = Effect.fnUntraced(function* (owner: AccountId, overrides: Partial<Plain<List>> = {}) {
  return yield* Effect.flatMap(ListStore, (lists) => lists.insert(list(owner, overrides)))
})

/** Stores things of one list in the given order. */
export const newThings = Effect.fnUntraced(function* (
  owner: AccountId,
  listId: ListId,
  overrides: ReadonlyArray<Partial<Plain<Thing>>>
) {
  const made = overrides.map((some, sequence) => {
    const sortTime = some.created ?? noon
    return thing(owner, listId, { position: { sortTime, sequence }, ...some })
  })
  yield* Effect.flatMap(ThingStore, (things) => things.insert(owner, made))
  return made
})

/** Runs an effect with the clock fixed at the given time. */
export const at =
  (now: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(effect, Clock.Clock, {
        sleep: (duration) => clock.sleep(duration),
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.succeed(now),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos
      })
    )
