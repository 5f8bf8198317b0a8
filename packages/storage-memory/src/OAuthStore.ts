import type { AccountId } from "@lists-and-things/domain/Ids"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "@lists-and-things/domain/signin/Grant"
import { Effect, Layer } from "effect"
import { Database } from "./Database.ts"

interface TakenCode {
  readonly code: AuthorizationCode
  used: boolean
}

const make = (database: Database["Service"]): OAuthStore["Service"] => {
  /** What belongs to an account goes with it. */
  const whileThere = <A>(owner: AccountId, found: A, gone: A) => database.read(owner, () => found, gone)

  const clients = new Map<string, OAuthClient>()
  const grants = new Map<string, Grant>()
  const codes = new Map<string, TakenCode>()
  const tokens = new Map<string, Token>()

  const grantOf = (owner: AccountId, id: string): Grant | undefined => {
    const grant = grants.get(id)
    return grant?.owner === owner ? grant : undefined
  }

  const removeWhere = <A>(rows: Map<string, A>, gone: (row: A) => boolean): number => {
    const old = [...rows].filter(([, row]) => gone(row))
    for (const [key] of old) rows.delete(key)
    return old.length
  }

  return OAuthStore.of({
    client: (id) => Effect.sync(() => clients.get(id)),
    putClient: (client) => Effect.sync(() => void clients.set(client.id, client)),
    pruneClients: (madeBefore) =>
      Effect.sync(() => removeWhere(clients, (client) => client.lastUsed === null && client.created < madeBefore)),
    putGrant: (grant) => Effect.sync(() => void grants.set(grant.id, grant)),
    usedGrant: (owner, id, now) =>
      Effect.sync(() => {
        const grant = grantOf(owner, id)
        if (grant !== undefined) grants.set(id, { ...grant, lastUsed: now })
      }),
    grant: (owner, id) => Effect.suspend(() => whileThere(owner, grantOf(owner, id), undefined)),
    grantsOf: (owner) =>
      Effect.suspend(() =>
        whileThere(
          owner,
          [...grants.values()]
            .filter((grant) => grant.owner === owner && grant.revoked === null)
            .toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1)),
          []
        )
      ),
    revokeGrant: (owner, id, now) =>
      Effect.sync(() => {
        const grant = grantOf(owner, id)
        if (grant !== undefined) grants.set(id, { ...grant, revoked: grant.revoked ?? now })
        return grant !== undefined
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
          : whileThere(token.owner, { token, grant }, undefined)
      }),
    replaceToken: (hash, now) =>
      Effect.sync(() => {
        const token = tokens.get(hash)
        if (token !== undefined) tokens.set(hash, { ...token, replaced: token.replaced ?? now })
      }),
    prune: (expiredBefore) =>
      Effect.sync(
        () =>
          removeWhere(tokens, (token) => token.expires < expiredBefore) +
          removeWhere(codes, ({ code }) => code.expires < expiredBefore)
      )
  })
}

export const oauthStoreLayer = Layer.effect(OAuthStore, Effect.map(Database, make))
