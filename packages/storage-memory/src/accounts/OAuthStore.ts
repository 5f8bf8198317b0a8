import { type AccountId, newestFirst } from "@lists-and-things/domain/model/Ids"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "@lists-and-things/domain/model/Grant"
import { Effect, Layer } from "effect"
import { Database } from "../Database.ts"
import { outdatedKeys, prune } from "../Pruning.ts"

interface TakenCode {
  readonly code: AuthorizationCode
  used: boolean
}

const make = (database: Database["Service"]): OAuthStore["Service"] => {
  /** Returns `found` unless the account is removed, else `gone`. */
  const unlessDeleted = <A, G = undefined>(owner: AccountId, found: A, gone?: G) =>
    database.read(owner, () => found, gone)

  const clients = new Map<string, OAuthClient>()
  const grants = new Map<string, Grant>()
  const codes = new Map<string, TakenCode>()
  const tokens = new Map<string, Token>()

  const grantOf = (owner: AccountId, id: string): Grant | undefined => {
    const grant = grants.get(id)
    return grant?.owner === owner ? grant : undefined
  }

  const unused = (): ReadonlyArray<OAuthClient> =>
    [...clients.values()].filter((client) => client.lastUsed === null).toSorted(newestFirst("created"))

  /** Removes those of the grants that have neither codes nor tokens. */
  const deleteEmptyGrants = (ids: ReadonlySet<string>): void => {
    const held = new Set(
      [...tokens.values(), ...Array.from(codes.values(), ({ code }) => code)].map((of) => of.grantId)
    )
    for (const id of ids) if (!held.has(id)) grants.delete(id)
  }

  const removeOf = <A>(rows: Map<string, A>, keys: ReadonlyArray<string>, grantIdOf: (row: A) => string): number => {
    const touched = new Set(keys.map((key) => grantIdOf(rows.get(key)!)))
    for (const key of keys) rows.delete(key)
    deleteEmptyGrants(touched)
    return keys.length
  }

  return OAuthStore.of({
    client: (id) => Effect.sync(() => clients.get(id)),
    putClient: (client) =>
      Effect.sync(() => {
        const before = clients.get(client.id)?.lastUsed ?? null
        const isEarlier = before !== null && (client.lastUsed === null || client.lastUsed < before)
        clients.set(client.id, isEarlier ? { ...client, lastUsed: before } : client)
      }),
    pruneClients: (created, max) =>
      Effect.sync(() => prune(clients, (client) => (client.lastUsed === null ? client.created : null), created, max)),
    trimClients: (keep, max) =>
      Effect.sync(() => {
        const beyond = unused().slice(keep).toReversed().slice(0, max)
        for (const { id } of beyond) clients.delete(id)
        return beyond.length
      }),
    putGrant: (grant) => Effect.sync(() => void grants.set(grant.id, grant)),
    usedGrant: (owner, id, now) =>
      Effect.sync(() => {
        const grant = grantOf(owner, id)
        if (grant !== undefined) grants.set(id, { ...grant, lastUsed: now })
      }),
    grant: (owner, id) => Effect.suspend(() => unlessDeleted(owner, grantOf(owner, id))),
    grantsOf: (owner) =>
      Effect.suspend(() =>
        unlessDeleted(
          owner,
          [...grants.values()]
            .filter((grant) => grant.owner === owner && grant.revoked === null)
            .toSorted(newestFirst("created")),
          []
        )
      ),
    revokeGrant: (owner, id, now) =>
      Effect.sync(() => {
        const grant = grantOf(owner, id)
        if (grant !== undefined) grants.set(id, { ...grant, revoked: grant.revoked ?? now })
        return grant !== undefined
      }),
    revokeGrants: (owner, now) =>
      Effect.sync(() => {
        const valid = [...grants.values()].filter((grant) => grant.owner === owner && grant.revoked === null)
        for (const grant of valid) grants.set(grant.id, { ...grant, revoked: now })
        return valid.length
      }),
    putCode: (code) => Effect.sync(() => void codes.set(code.hash, { code, used: false })),
    takeCode: (hash) =>
      Effect.sync(() => {
        const taken = codes.get(hash)
        if (taken === undefined) return undefined
        const first = !taken.used
        taken.used = true
        return { code: taken.code, first }
      }),
    putToken: (token) => Effect.sync(() => void tokens.set(token.hash, token)),
    token: (hash) =>
      Effect.suspend(() => {
        const token = tokens.get(hash)
        const grant = token && grantOf(token.owner, token.grantId)
        return token === undefined || grant === undefined
          ? Effect.succeed(undefined)
          : unlessDeleted(token.owner, { token, grant })
      }),
    replaceToken: (hash, now) =>
      Effect.sync(() => {
        const token = tokens.get(hash)
        if (token !== undefined) tokens.set(hash, { ...token, replaced: token.replaced ?? now })
      }),
    pruneCodes: (expires, max) =>
      Effect.sync(() =>
        removeOf(
          codes,
          outdatedKeys(codes, ({ code }) => code.expires, expires, max),
          ({ code }) => code.grantId
        )
      ),
    pruneTokens: (expires, max) =>
      Effect.sync(() =>
        removeOf(
          tokens,
          outdatedKeys(tokens, (token) => token.expires, expires, max),
          (token) => token.grantId
        )
      ),
    pruneGrants: (revoked, max) =>
      Effect.sync(() => {
        const gone = new Set(outdatedKeys(grants, (grant) => grant.revoked, revoked, max))
        for (const id of gone) grants.delete(id)
        for (const [hash, token] of tokens) if (gone.has(token.grantId)) tokens.delete(hash)
        for (const [hash, { code }] of codes) if (gone.has(code.grantId)) codes.delete(hash)
        return gone.size
      })
  })
}

export const oauthStoreLayer = Layer.effect(OAuthStore, Effect.map(Database, make))
