import { expect, layer as withLayer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { type ChangeQuery, Changes } from "@lists-and-things/domain/history/Changes"
import type { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import type { Undo } from "@lists-and-things/domain/history/Undo"
import { type ChangePage, changesJson } from "@lists-and-things/domain/json/ChangeJson"
import type { Lists } from "@lists-and-things/domain/lists/Lists"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { type Entity, keyText } from "@lists-and-things/domain/model/Operation"
import { HistoryStore, stateParts } from "@lists-and-things/domain/ports/HistoryStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import type { Places } from "@lists-and-things/domain/places/Places"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, callerOf, listNamed, make, patch, remind } from "./AsOwner.ts"
import { key, noon } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { makeCall, withCall } from "./Operations.ts"
import { randomOf, randomStep } from "./RandomHistory.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

type UseCases =
  | Accounts
  | BulkThings
  | Changes
  | ChangeWaiters
  | Crypto.Crypto
  | Lists
  | Places
  | Ports
  | Reminders
  | Things
  | Undo

const read = (query: ChangeQuery = {}) => Effect.flatMap(Changes, (changes) => changes.read(query))

/** Reads as the key with this id. */
const readAs = (account: Account, id: string, query: ChangeQuery) =>
  Effect.provideService(read(query), Caller, { ...callerOf(account), by: { type: "key", id, name: "A stored key" } })

/** What a consumer of the feed stores: the entities by type and id. */
type Mirror = Map<string, Entity>

const apply = (mirror: Mirror, { changes }: ChangePage): void => {
  for (const { entity, ...key } of changes)
    if (entity === undefined) mirror.delete(keyText(key))
    else mirror.set(keyText(key), entity)
}

/**
 * Reads the feed to its end into `mirror`. Expects at most `limit` changes per page, each entity once, in order of
 * time; appends the number of notes in each page to `notes`. Returns the last cursor.
 */
const follow = Effect.fnUntraced(function* (
  mirror: Mirror,
  cursor: string | undefined,
  limit: number,
  notes: Array<number> = []
) {
  let at = cursor
  for (;;) {
    const page = yield* read({ limit, ...(at === undefined ? {} : { cursor: at }) })
    expect(page.changes.length).toBeLessThanOrEqual(limit)
    expect(new Set(page.changes.map(keyText)).size).toBe(page.changes.length)
    const times = page.changes.flatMap(({ by }) => by?.at ?? [])
    expect(times).toStrictEqual(times.toSorted((a, b) => a - b))
    notes.push(page.changes.filter(({ entity }) => entity?.type === "thing" && entity.value.note !== "").length)
    apply(mirror, page)
    at = page.cursor
    if (!page.hasMore) return at
  }
})

/** The stored state in the form of a mirror. */
const stored = Effect.fnUntraced(function* ({ id }: Account) {
  const history = yield* HistoryStore
  const mirror: Mirror = new Map()
  for (const part of stateParts)
    for (const entity of yield* history.state(id, part, undefined, 10_000))
      mirror.set(`${entity.type} ${entity.value.id}`, entity)
  return mirror
})

const now = Effect.map(read({ cursor: "now" }), ({ cursor }) => cursor)

/** Stores a key of the account and returns its id: only requests with a key may wait. */
const keyOf = Effect.fnUntraced(function* (account: Account) {
  const made = key(account.id)
  yield* (yield* KeyStore).insert(made)
  return made.id
})

/** The feed of changes, for any adapter. `histories` and `steps` as in `UndoHistoriesSuite`. */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<UseCases, E>,
  { histories, steps }: { readonly histories: number; readonly steps: number }
): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: changes`, (it) => {
    for (let seed = 1; seed <= histories; seed++)
      it.effect(`a mirror of the random history ${seed} equals the stored state`, () =>
        asOwner(
          (account) =>
            Effect.gen(function* () {
              const random = randomOf(seed)
              yield* listNamed("first")
              const early: Mirror = new Map()
              const late: Mirror = new Map()
              let cursor = yield* follow(early, undefined, 7)
              let begun: string | undefined
              for (let step = 0; step < steps; step++) {
                yield* randomStep(random)
                if (random() < 0.3) cursor = yield* follow(early, cursor, 1 + Math.floor(random() * 9))
                // The other mirror begins in the middle and reads a page now and then, while changes go on.
                if (step > steps / 2 && random() < 0.5) {
                  const page = yield* read({
                    limit: 1 + Math.floor(random() * 5),
                    ...(begun === undefined ? {} : { cursor: begun })
                  })
                  apply(late, page)
                  begun = page.cursor
                }
              }
              yield* follow(early, cursor, 3)
              yield* follow(late, begun, 100)
              expect(early).toStrictEqual(yield* stored(account))
              expect(late).toStrictEqual(early)
            }),
          { repeatMovesToDay: seed % 2 === 0 }
        )
      )

    it.effect("begin with the whole state: account, lists, originals, copies, reminders", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          const copy = yield* make({ clone_of: thing.id, list_id: list.id })
          yield* remind(copy.id, { at: "2026-12-01T09:00:00Z" })
          const { changes, has_more } = changesJson(yield* read())
          expect(changes.map(({ change, id, type }) => [type, change, type === "reminder" || id])).toStrictEqual([
            ["account", "put", account.id],
            ["list", "put", list.id],
            ["thing", "put", thing.id],
            ["thing", "put", copy.id],
            ["reminder", "put", true]
          ])
          expect(changes.every(({ at, operation_id }) => at === null && operation_id === null)).toBe(true)
          expect(has_more).toBe(false)
          expect(changes[0]!.data).not.toHaveProperty("email")
          expect(changes[1]!.data).toMatchObject({ title: "one", day: null })
          expect(changes[1]!.data).not.toHaveProperty("today")
          expect(changes[2]!.data).toMatchObject({ text: "a", position: [thing.position.sortTime, 0] })
          expect(changes[4]!.data).toMatchObject({ thing_id: thing.id, place: null })
          for (const field of ["text", "list_id", "summary"]) expect(changes[4]!.data).not.toHaveProperty(field)
        })
      )
    )

    it.effect("with cursor=now are only later ones, each entity once and with its last change", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const cursor = yield* now
          expect(yield* read({ cursor })).toStrictEqual({ changes: [], cursor, hasMore: false })
          const thing = yield* make({ text: "a", list_id: list.id })
          const gone = yield* make({ text: "b", list_id: list.id })
          const call = makeCall()
          yield* patch(thing.id, { text: "c" }).pipe(withCall(call))
          yield* (yield* Things).remove(gone.id)
          const page = yield* read({ cursor })
          const json = changesJson(page)
          expect(json.changes.map(({ change, id }) => [change, id])).toStrictEqual([
            ["put", thing.id],
            ["put", list.id],
            ["delete", gone.id]
          ])
          expect(json.changes[0]).toMatchObject({ operation_id: call.recorded, data: { text: "c" } })
          expect(json.changes[2]!.data).toBeNull()
          expect((yield* read({ cursor: page.cursor })).changes).toStrictEqual([])
        })
      )
    )

    it.effect("of one operation can take several pages", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const cursor = yield* now
          yield* bulk({ list_id: list.id, items: Array.from({ length: 10 }, (_, at) => ({ text: String(at) })) })
          const seen: Array<string> = []
          let page = yield* read({ cursor, limit: 3 })
          while (page.hasMore) {
            for (const { id } of page.changes) seen.push(id)
            page = yield* read({ cursor: page.cursor, limit: 3 })
          }
          for (const { id } of page.changes) seen.push(id)
          expect(new Set(seen).size).toBe(11)
          expect(seen).toHaveLength(11)
        })
      )
    )

    it.effect("with long texts end a page early, in the state and in later changes, and none is missed", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const begun = yield* now
          const long = "n".repeat(1_000_000)
          for (let of = 0; of < 2; of++) {
            const list = yield* listNamed(`list ${of}`)
            const items = Array.from({ length: 7 }, () => ({ text: "with a note", note: long }))
            yield* bulk({ list_id: list.id, items })
            yield* bulk({ list_id: list.id, items: Array.from({ length: 30 }, (_, at) => ({ text: String(at) })) })
          }
          const [state, following]: [Mirror, Mirror] = [new Map(), new Map()]
          const [ofState, ofFollowing]: [Array<number>, Array<number>] = [[], []]
          yield* follow(state, undefined, 500, ofState)
          yield* follow(following, begun, 500, ofFollowing)
          expect([state, following].map((each) => each.size)).toStrictEqual([77, 76])
          expect(state).toStrictEqual(yield* stored(account))
          for (const [key, entity] of following) expect(state.get(key)).toStrictEqual(entity)
          for (const notes of [ofState, ofFollowing]) expect(Math.max(...notes)).toBeLessThan(10)
        })
      )
    )

    it.effect("after a change of the time zone contain the moved reminders alone", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a", list: "today" })
          const { reminder } = yield* remind(thing.id, { at: "2026-12-01T09:00", repeat: "daily" })
          yield* remind((yield* make({ text: "once" })).id, { at: "2026-12-01T09:00" })
          const cursor = yield* now
          yield* (yield* Accounts).update(account.id, { timezone: "Asia/Tokyo" })
          const json = changesJson(yield* read({ cursor }))
          expect(json.changes.filter(({ type }) => type === "reminder").map(({ id }) => id)).toStrictEqual([
            reminder.id
          ])
          expect(json.changes[0]).toMatchObject({ type: "account", data: { timezone: "Asia/Tokyo" } })
        })
      )
    )

    it.effect("are refused for an invalid cursor, one of another account, and values out of range", () =>
      Effect.gen(function* () {
        const theirs = yield* asOwner(() => now)
        yield* asOwner(() =>
          Effect.gen(function* () {
            const own = yield* now
            const wrong: ReadonlyArray<ChangeQuery> = [
              ...["", "nothing", "bm90aGluZw", `${own}x`, own.slice(1), theirs].map((cursor) => ({ cursor })),
              ...[0, 501, -1, 1.5, Number.NaN].map((limit) => ({ limit })),
              ...[-1, 56, 0.5].map((wait) => ({ wait }))
            ]
            for (const query of wrong) {
              const refused = yield* Effect.flip(read(query))
              expect([refused._tag, "field" in refused && refused.field]).toStrictEqual([
                "InvalidInput",
                Object.keys(query)[0]
              ])
            }
          })
        )
      })
    )

    it.effect("are Gone for a cursor whose operation was pruned", () =>
      asOwner(() =>
        Effect.gen(function* () {
          yield* listNamed("one")
          const cursor = yield* now
          yield* listNamed("two")
          const history = yield* HistoryStore
          while ((yield* history.prune(addMillis(noon, 1_000_000), 100)) > 0);
          expect((yield* Effect.flip(read({ cursor })))._tag).toBe("Gone")
          expect((yield* read()).changes).toHaveLength(3)
        })
      )
    )

    it.effect("need both scopes for reading", () =>
      asOwner((account) =>
        Effect.forEach(["read:lists", "read:things"] as const, (scope) =>
          Effect.gen(function* () {
            const caller = callerOf(account, [scope])
            expect((yield* Effect.flip(Effect.provideService(read(), Caller, caller)))._tag).toBe("Forbidden")
          })
        )
      )
    )

    it.effect("are returned to a waiting request as soon as there are any", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const [list, cursor, id] = [yield* listNamed("one"), yield* now, yield* keyOf(account)]
          const began = yield* Deferred.make<void>()
          const waiting = yield* Deferred.succeed(began, undefined).pipe(
            Effect.andThen(readAs(account, id, { cursor, wait: 55 })),
            Effect.forkChild
          )
          yield* Deferred.await(began)
          yield* patch((yield* make({ text: "a", list_id: list.id })).id, { text: "b" })
          expect((yield* Fiber.join(waiting)).changes.length).toBeGreaterThan(0)
        })
      )
    )

    it.effect("are empty, with the same cursor, when the wait of a request ends without any", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const cursor = yield* now
          const page = yield* readAs(account, yield* keyOf(account), { cursor, wait: 1 })
          expect(page).toStrictEqual({ changes: [], cursor, hasMore: false })
        })
      )
    )

    it.effect("are refused to a waiting request when its key is revoked", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const [cursor, id] = [yield* now, yield* keyOf(account)]
          const waiting = yield* Effect.forkChild(Effect.flip(readAs(account, id, { cursor, wait: 55 })))
          yield* (yield* KeyStore).revoke(id, noon)
          expect((yield* Fiber.join(waiting))._tag).toBe("Unauthorized")
        })
      )
    )
  })
}
