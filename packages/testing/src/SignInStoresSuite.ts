import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import { SessionStore } from "@lists-and-things/domain/ports/SessionStore"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "@lists-and-things/domain/model/Grant"
import { freshId, newAccount, noon, type Plain, timed } from "./Fixtures.ts"
import { addMillis, epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const never = EpochMillis(Number.MAX_SAFE_INTEGER)
/** Selects everything before `moment`, without an upper bound. */
const before = (moment: number) => timed<Outdated>({ before: moment, after: never })

type Ports = OAuthStore | SessionStore | AccountStore

const client = (overrides: Partial<Plain<OAuthClient>> = {}): OAuthClient =>
  timed<OAuthClient>({
    id: freshId(),
    name: "A program <b>",
    redirectUris: ["https://a.example/cb?x=1", "http://127.0.0.1/cb"],
    created: noon,
    lastUsed: null,
    ...overrides
  })

const grant = (owner: AccountId, overrides: Partial<Plain<Grant>> = {}): Grant =>
  timed<Grant>({
    id: freshId(),
    owner,
    clientId: "https://client.example/metadata.json",
    clientName: "A program",
    scopes: ["read:lists", "search"],
    created: noon,
    lastUsed: null,
    revoked: null,
    ...overrides
  })

const code = (of: Grant): AuthorizationCode => ({
  hash: freshId(),
  grantId: of.id,
  owner: of.owner,
  clientId: of.clientId,
  redirectUri: "http://127.0.0.1:4711/cb",
  challenge: "c".repeat(43),
  expires: addMillis(noon, 60_000)
})

const token = (of: Grant, overrides: Partial<Plain<Token>> = {}): Token =>
  timed<Token>({
    hash: freshId(),
    kind: "refresh",
    grantId: of.id,
    owner: of.owner,
    expires: noon + 60_000,
    replaced: null,
    scopes: null,
    ...overrides
  })

/** The contract of `OAuthStore` and `SessionStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: sign-in stores`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      it.effect("clients are stored, replaced, and pruned if nobody approved them", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          const [old, used] = [
            client({ created: 1_000 }),
            client({ id: `https://x.example/${"y".repeat(1_900)}`, created: 1_000, lastUsed: noon })
          ]
          yield* store.putClient(old)
          yield* store.putClient(used)
          expect(yield* store.client(old.id)).toStrictEqual(old)
          expect(yield* store.client(used.id)).toStrictEqual(used)
          expect(yield* store.client("nobody")).toBeUndefined()
          yield* store.putClient({ ...old, name: "Renamed" })
          expect((yield* store.client(old.id))?.name).toBe("Renamed")
          for (const lastUsed of [null, EpochMillis(noon - 1)]) {
            yield* store.putClient({ ...used, lastUsed })
            expect((yield* store.client(used.id))?.lastUsed).toBe(noon)
          }
          expect(yield* store.pruneClients(before(1_001), 10)).toBe(1)
          expect(yield* store.client(old.id)).toBeUndefined()
          expect(yield* store.client(used.id)).toBeDefined()
        })
      )

      it.effect("clients that nobody approved are pruned and trimmed in steps, the oldest first", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          yield* store.pruneClients(before(never), 1_000)
          const made = [5, 1, 4, 2, 3].map((created) => client({ created }))
          const used = client({ created: 0, lastUsed: noon })
          yield* Effect.forEach([...made, used], store.putClient)
          const left = Effect.map(
            Effect.forEach([...made, used], ({ id }) => store.client(id)),
            (found) => found.flatMap((each) => (each === undefined ? [] : [each.created])).toSorted()
          )
          expect(yield* store.pruneClients(before(5), 1)).toBe(1)
          expect(yield* left).toStrictEqual([0, 2, 3, 4, 5])
          expect(yield* store.trimClients(2, 1)).toBe(1)
          expect(yield* left).toStrictEqual([0, 3, 4, 5])
          expect(yield* store.trimClients(2, 10)).toBe(1)
          expect(yield* store.trimClients(2, 10)).toBe(0)
          expect(yield* left).toStrictEqual([0, 4, 5])
          expect(yield* store.pruneClients({ before: epoch, after: EpochMillis(4) }, 10)).toBe(1)
          expect(yield* left).toStrictEqual([0, 4])
        })
      )

      it.effect("grants belong to their owner; a revocation keeps its first time, whatever is written later", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          const [mine, theirs] = [yield* newAccount(), yield* newAccount()]
          const [first, second] = [grant(mine.id), grant(mine.id, { created: noon + 1 })]
          yield* store.putGrant(first)
          yield* store.putGrant(second)
          expect(yield* store.grant(mine.id, first.id)).toStrictEqual(first)
          expect(yield* store.grant(theirs.id, first.id)).toBeUndefined()
          expect(yield* store.grant(mine.id, "no-id")).toBeUndefined()
          expect(yield* store.grantsOf(mine.id)).toStrictEqual([second, first])
          expect(yield* store.revokeGrant(theirs.id, first.id, noon)).toBe(false)
          expect(yield* store.revokeGrant(mine.id, first.id, noon)).toBe(true)
          expect(yield* store.revokeGrant(mine.id, first.id, addMillis(noon, 5))).toBe(true)
          expect((yield* store.grant(mine.id, first.id))?.revoked).toBe(noon)
          yield* store.usedGrant(mine.id, first.id, addMillis(noon, 7))
          yield* store.usedGrant(mine.id, freshId(), addMillis(noon, 7))
          yield* store.usedGrant(theirs.id, second.id, addMillis(noon, 7))
          expect(yield* store.grant(mine.id, first.id)).toStrictEqual({ ...first, lastUsed: noon + 7, revoked: noon })
          expect(yield* store.grantsOf(mine.id)).toStrictEqual([second])
          yield* store.putGrant(grant(theirs.id))
          expect(yield* store.revokeGrants(mine.id, addMillis(noon, 9))).toBe(1)
          expect(yield* store.revokeGrants(mine.id, addMillis(noon, 9))).toBe(0)
          expect(yield* store.grantsOf(mine.id)).toStrictEqual([])
          expect((yield* store.grant(mine.id, first.id))?.revoked).toBe(noon)
          expect((yield* store.grant(mine.id, second.id))?.revoked).toBe(noon + 9)
          expect(yield* store.grantsOf(theirs.id)).toHaveLength(1)
        })
      )

      it.effect("exactly one of many concurrent takes of a code is the first", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          const allowed = grant((yield* newAccount()).id)
          yield* store.putGrant(allowed)
          const [made, other] = [code(allowed), code(allowed)]
          yield* store.putCode(made)
          yield* store.putCode(other)
          const taken = yield* Effect.all(
            Array.from({ length: 8 }, () => store.takeCode(made.hash)),
            { concurrency: "unbounded" }
          )
          expect(taken.filter((each) => each?.first)).toHaveLength(1)
          expect(taken[0]?.code).toStrictEqual(made)
          expect(yield* store.takeCode(other.hash)).toStrictEqual({ code: other, first: true })
          expect(yield* store.takeCode("unknown")).toBeUndefined()
        })
      )

      it.effect("tokens are returned with their grant; the first replacement time stays; expired ones are pruned", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          const { id: owner } = yield* newAccount()
          const [allowed, other] = [grant(owner), grant(owner, { clientName: "Another program", revoked: noon })]
          yield* store.putGrant(other)
          yield* store.putGrant(allowed)
          const [kept, expired] = [token(allowed), token(allowed, { expires: 5 })]
          yield* store.putToken(kept)
          yield* store.putToken(expired)
          expect(yield* store.token(kept.hash)).toStrictEqual({ token: kept, grant: allowed })
          const foreign = token(other)
          yield* store.putToken(foreign)
          expect(yield* store.token(foreign.hash)).toStrictEqual({ token: foreign, grant: other })
          const narrow = token(allowed, { kind: "access", scopes: ["search"] })
          yield* store.putToken(narrow)
          expect(yield* store.token(narrow.hash)).toStrictEqual({ token: narrow, grant: allowed })
          yield* store.replaceToken(kept.hash, noon)
          yield* store.replaceToken(kept.hash, addMillis(noon, 9))
          expect((yield* store.token(kept.hash))?.token.replaced).toBe(noon)
          expect((yield* store.token(narrow.hash))?.token.replaced).toBeNull()
          expect(yield* store.pruneTokens(before(6), 10)).toBe(1)
          expect(yield* store.token(expired.hash)).toBeUndefined()
          expect(yield* store.token(kept.hash)).toBeDefined()
        })
      )

      it.effect("a grant is pruned with the last of its codes and tokens, a revoked one after a time", () =>
        Effect.gen(function* () {
          const store = yield* OAuthStore
          const { id: owner } = yield* newAccount()
          const [held, waiting, empty, revoked] = [grant(owner), grant(owner), grant(owner), grant(owner)]
          yield* Effect.forEach([held, waiting, empty, revoked], store.putGrant)
          const used = { ...code(held), expires: EpochMillis(1) }
          yield* store.putCode(used)
          yield* store.putCode({ ...code(empty), expires: EpochMillis(2) })
          yield* store.putToken(token(held))
          yield* store.putToken(token(empty, { expires: 3 }))
          yield* store.putToken(token(waiting, { expires: 2 }))
          yield* store.putCode(code(waiting))
          const kept = token(revoked)
          yield* store.putToken(kept)
          yield* store.revokeGrant(owner, revoked.id, EpochMillis(1_000))
          expect(yield* store.pruneCodes(before(3), 1)).toBe(1)
          expect(yield* store.takeCode(used.hash)).toBeUndefined()
          expect(yield* store.pruneCodes(before(3), 10)).toBe(1)
          expect(yield* store.grant(owner, empty.id)).toBeDefined()
          expect(yield* store.pruneTokens(before(4), 10)).toBe(2)
          expect(yield* store.grant(owner, empty.id)).toBeUndefined()
          expect(yield* store.grant(owner, held.id)).toBeDefined()
          expect(yield* store.grant(owner, waiting.id)).toBeDefined()
          expect(yield* store.pruneGrants(before(1_000), 10)).toBe(0)
          expect(yield* store.token(kept.hash)).toBeDefined()
          expect(yield* store.pruneGrants(before(1_001), 10)).toBe(1)
          expect(yield* store.token(kept.hash)).toBeUndefined()
          expect(yield* store.grant(owner, revoked.id)).toBeUndefined()
          expect(new Set(yield* store.grantsOf(owner))).toStrictEqual(new Set([held, waiting]))
        })
      )

      it.effect("sessions are kept until they are removed or expire", () =>
        Effect.gen(function* () {
          const store = yield* SessionStore
          const { id: owner } = yield* newAccount()
          const session = { hash: freshId(), owner, csrf: "token", created: noon, expires: addMillis(noon, 1) }
          const other = { ...session, hash: freshId() }
          yield* store.put(session)
          yield* store.put(other)
          expect(yield* store.get(session.hash)).toStrictEqual(session)
          yield* store.remove(session.hash)
          expect(yield* store.get(session.hash)).toBeUndefined()
          expect(yield* store.get(other.hash)).toStrictEqual(other)
          const elsewhere = { ...session, hash: freshId(), owner: (yield* newAccount()).id }
          yield* store.put(elsewhere)
          yield* store.removeOf(owner)
          expect(yield* store.get(other.hash)).toBeUndefined()
          expect(yield* store.get(elsewhere.hash)).toStrictEqual(elsewhere)
          const old = [7, 6, 5].map((expires) => ({ ...session, hash: freshId(), expires: EpochMillis(expires) }))
          yield* Effect.forEach(old, store.put)
          expect(yield* store.pruneSessions(before(8), 2)).toBe(2)
          expect(
            yield* Effect.forEach(old, ({ hash }) => Effect.map(store.get(hash), (found) => found?.expires))
          ).toStrictEqual([7, undefined, undefined])
          expect(yield* store.pruneSessions(before(8), 2)).toBe(1)
          expect(yield* store.pruneSessions(before(8), 2)).toBe(0)
        })
      )

      it.effect("attempts are counted exactly, in windows that begin with the first attempt", () =>
        Effect.gen(function* () {
          const store = yield* SessionStore
          const key = freshId()
          const counts = yield* Effect.all(
            Array.from({ length: 6 }, () => store.countAttempt(key, noon, 1_000)),
            { concurrency: "unbounded" }
          )
          expect(counts.toSorted()).toStrictEqual([1, 2, 3, 4, 5, 6])
          expect(yield* store.countAttempt(key, addMillis(noon, 999), 1_000)).toBe(7)
          expect(yield* store.countAttempt(key, addMillis(noon, 1_000), 1_000)).toBe(1)
          const other = freshId()
          yield* store.countAttempt(other, noon, 1_000)
          yield* store.forgetAttempts(key)
          expect(yield* store.countAttempt(key, addMillis(noon, 1_001), 1_000)).toBe(1)
          expect(yield* store.countAttempt(other, noon, 1_000)).toBe(2)
        })
      )

      it.effect("attempts are pruned by the beginning of their window, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* SessionStore
          const keys = [3, 1, 2].map((began) => ({ key: freshId(), began }))
          for (const { began, key } of keys) yield* store.countAttempt(key, EpochMillis(began), 1_000)
          expect(yield* store.pruneAttempts(before(4), 2)).toBe(2)
          const counts = yield* Effect.forEach(keys, ({ key }) => store.countAttempt(key, EpochMillis(4), 1_000))
          expect(counts).toStrictEqual([2, 1, 1])
          expect(yield* store.pruneAttempts(before(5), 10)).toBe(3)
        })
      )

      it.effect("a window of attempts that begins in the future is over, and can be pruned", () =>
        Effect.gen(function* () {
          const store = yield* SessionStore
          const [key, other] = [freshId(), freshId()]
          const nextYear = addMillis(noon, 365 * 86_400_000)
          for (const name of [key, other]) {
            expect(yield* store.countAttempt(name, nextYear, 1_000)).toBe(1)
            expect(yield* store.countAttempt(name, addMillis(nextYear, -60_000), 1_000)).toBe(2)
          }
          expect(yield* store.countAttempt(key, noon, 1_000)).toBe(1)
          expect(yield* store.countAttempt(key, noon, 1_000)).toBe(2)
          expect(yield* store.pruneAttempts({ before: epoch, after: addMillis(noon, 60_000) }, 10)).toBe(1)
          expect(yield* store.countAttempt(key, noon, 1_000)).toBe(3)
          expect(yield* store.countAttempt(other, nextYear, 1_000)).toBe(1)
        })
      )

      it.effect("grants, tokens and sessions are removed with their account", () =>
        Effect.gen(function* () {
          const [oauth, sessions, accounts] = [yield* OAuthStore, yield* SessionStore, yield* AccountStore]
          const { id: owner } = yield* newAccount()
          const allowed = grant(owner)
          yield* oauth.putGrant(allowed)
          const kept = token(allowed)
          yield* oauth.putToken(kept)
          const session = { hash: freshId(), owner, csrf: "token", created: noon, expires: addMillis(noon, 1) }
          yield* sessions.put(session)
          yield* accounts.remove(owner)
          expect(yield* oauth.token(kept.hash)).toBeUndefined()
          expect(yield* oauth.grantsOf(owner)).toStrictEqual([])
          expect(yield* sessions.get(session.hash)).toBeUndefined()
        })
      )
    })
  })
}
