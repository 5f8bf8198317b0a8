import type { Row } from "@effect/sql-pg/PgConnection"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "@lists-and-things/domain/model/Grant"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { digest } from "../things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { pruneBy, pruneStatement } from "../Pruning.ts"
import { revokeAllOf } from "./Revocation.ts"

const clientColumns = "id, name, redirect_uris, created::float8, last_used::float8"

const putClient = `insert into oauth_clients (id_hash, id, name, redirect_uris, created, last_used)
  values ($1, $2, $3, $4::text[], $5, $6)
  on conflict (id_hash) do update set name = excluded.name, redirect_uris = excluded.redirect_uris,
    last_used = greatest(oauth_clients.last_used, excluded.last_used)`

const grantColumns = `g.owner_id::text, g.id::text, g.client_id, g.client_name, g.scopes, g.created::float8,
  g.last_used::float8, g.revoked::float8`

const putGrant = `insert into oauth_grants (owner_id, id, client_id, client_name, scopes, created, last_used, revoked)
  values ($1, $2, $3, $4, $5::text[], $6, $7, $8)`

const putCode = `insert into oauth_codes (owner_id, hash, grant_id, client_id, redirect_uri, challenge, expires, used)
  values ($1, $2, $3, $4, $5, $6, $7, false)`

/** The row lock ensures that exactly one caller finds the code unused. */
const takeCode = `with old as (select * from oauth_codes where hash = $1 for update),
  taken as (update oauth_codes c set used = true from old where c.owner_id = old.owner_id and c.hash = old.hash)
  select owner_id::text, hash, grant_id::text, client_id, redirect_uri, challenge, expires::float8, used from old`

const putToken = `insert into oauth_tokens (owner_id, hash, kind, grant_id, expires, replaced, scopes)
  values ($1, $2, $3, $4, $5, $6, $7::text[])`

const token = `select t.hash, t.kind, t.expires::float8 as token_expires, t.replaced::float8,
    t.scopes as token_scopes, ${grantColumns}
  from oauth_tokens t join oauth_grants g on g.owner_id = t.owner_id and g.id = t.grant_id where t.hash = $1`

const pruneClients = pruneStatement({
  table: "oauth_clients",
  key: ["id_hash"],
  column: "created",
  only: "last_used is null"
})
const trimClients = `delete from oauth_clients c using (
    select id_hash from (select id_hash, created from oauth_clients where last_used is null
      order by created desc offset $1) beyond
    order by created limit $2) gone
  where c.id_hash = gone.id_hash and c.last_used is null returning 1`

const ofGrant = { key: ["owner_id", "hash"], column: "expires", returning: "t.owner_id::text, t.grant_id::text" }
const pruneCodes = pruneStatement({ ...ofGrant, table: "oauth_codes" })
const pruneTokens = pruneStatement({ ...ofGrant, table: "oauth_tokens" })
/** Removes those of the grants ($1 owners, $2 ids, pairwise) that have neither a code nor a token left. */
export const deleteEmptyGrants = `delete from oauth_grants g using unnest($1::uuid[], $2::uuid[]) as touched (owner_id, id)
  where g.owner_id = touched.owner_id and g.id = touched.id
    and not exists (select from oauth_tokens t where t.owner_id = g.owner_id and t.grant_id = g.id)
    and not exists (select from oauth_codes c where c.owner_id = g.owner_id and c.grant_id = g.id)`
const pruneGrants = pruneStatement({
  table: "oauth_grants",
  key: ["owner_id", "id"],
  column: "revoked",
  only: "revoked is not null"
})

const clientOf = (row: Row): OAuthClient => ({
  id: row.id as string,
  name: row.name as string,
  redirectUris: row.redirect_uris as ReadonlyArray<string>,
  created: row.created as EpochMillis,
  lastUsed: row.last_used as EpochMillis | null
})

const grantOf = (row: Row): Grant => ({
  id: row.id as string,
  owner: AccountId.make(row.owner_id as string),
  clientId: row.client_id as string,
  clientName: row.client_name as string,
  scopes: row.scopes as ReadonlyArray<Scope>,
  created: row.created as EpochMillis,
  lastUsed: row.last_used as EpochMillis | null,
  revoked: row.revoked as EpochMillis | null
})

const codeOf = (row: Row): AuthorizationCode => ({
  hash: row.hash as string,
  grantId: row.grant_id as string,
  owner: AccountId.make(row.owner_id as string),
  clientId: row.client_id as string,
  redirectUri: row.redirect_uri as string,
  challenge: row.challenge as string,
  expires: row.expires as EpochMillis
})

const tokenOf = (row: Row, grant: Grant): Token => ({
  hash: row.hash as string,
  kind: row.kind as Token["kind"],
  grantId: grant.id,
  owner: grant.owner,
  expires: row.token_expires as EpochMillis,
  replaced: row.replaced as EpochMillis | null,
  scopes: row.token_scopes as ReadonlyArray<Scope> | null
})

export const layer = Layer.effect(
  OAuthStore,
  Effect.gen(function* () {
    const db = yield* Database
    const prune = pruneBy(db)
    const removeOfGrants = (statement: string, expires: Outdated, max: number) =>
      db.transaction(
        Effect.gen(function* () {
          const rows = yield* db.write(statement, [expires.before, expires.after, max])
          const all = (column: string) => rows.map((row) => row[column] as string)
          if (rows.length > 0) yield* db.write(deleteEmptyGrants, [all("owner_id"), all("grant_id")])
          return rows.length
        })
      )
    return OAuthStore.of({
      client: (id) =>
        Effect.map(db.read(`select ${clientColumns} from oauth_clients where id_hash = $1`, [digest(id)]), ([row]) =>
          row === undefined ? undefined : clientOf(row)
        ),
      putClient: ({ id, name, redirectUris, created, lastUsed }) =>
        Effect.asVoid(db.write(putClient, [digest(id), id, name, redirectUris, created, lastUsed])),
      pruneClients: (created, max) => prune(pruneClients, created, max),
      trimClients: (keep, max) => Effect.map(db.write(trimClients, [keep, max]), (rows) => rows.length),
      putGrant: ({ owner, id, clientId, clientName, scopes, created, lastUsed, revoked }) =>
        Effect.asVoid(db.write(putGrant, [owner, id, clientId, clientName, scopes, created, lastUsed, revoked])),
      usedGrant: (owner, id, now) =>
        isIdForm(id)
          ? Effect.asVoid(
              db.write("update oauth_grants set last_used = $3 where owner_id = $1 and id = $2", [owner, id, now])
            )
          : Effect.void,
      grant: (owner, id) =>
        isIdForm(id)
          ? Effect.map(
              db.read(`select ${grantColumns} from oauth_grants g where owner_id = $1 and id = $2`, [owner, id]),
              ([row]) => (row === undefined ? undefined : grantOf(row))
            )
          : Effect.succeed(undefined),
      grantsOf: (owner) =>
        Effect.map(
          db.readLong(
            `select ${grantColumns} from oauth_grants g where owner_id = $1 and revoked is null order by created desc, id desc`,
            [owner]
          ),
          (rows) => rows.map(grantOf)
        ),
      revokeGrant: (owner, id, now) =>
        isIdForm(id)
          ? Effect.map(
              db.write(
                "update oauth_grants set revoked = coalesce(revoked, $3::bigint) where owner_id = $1 and id = $2 returning 1",
                [owner, id, now]
              ),
              (rows) => rows.length > 0
            )
          : Effect.succeed(false),
      revokeGrants: (owner, now) => db.transaction(revokeAllOf(db, "oauth_grants", owner, now)),
      putCode: (code) =>
        Effect.asVoid(
          db.write(putCode, [
            code.owner,
            code.hash,
            code.grantId,
            code.clientId,
            code.redirectUri,
            code.challenge,
            code.expires
          ])
        ),
      takeCode: (hash) =>
        Effect.map(db.write(takeCode, [hash]), ([row]) =>
          row === undefined ? undefined : { code: codeOf(row), first: row.used === false }
        ),
      putToken: ({ owner, hash, kind, grantId, expires, replaced, scopes }) =>
        Effect.asVoid(db.write(putToken, [owner, hash, kind, grantId, expires, replaced, scopes])),
      token: (hash) =>
        Effect.map(db.read(token, [hash]), ([row]) => {
          if (row === undefined) return undefined
          const grant = grantOf(row)
          return { token: tokenOf(row, grant), grant }
        }),
      replaceToken: (hash, now) =>
        Effect.asVoid(
          db.write("update oauth_tokens set replaced = coalesce(replaced, $2::bigint) where hash = $1", [hash, now])
        ),
      pruneCodes: (expires, max) => removeOfGrants(pruneCodes, expires, max),
      pruneTokens: (expires, max) => removeOfGrants(pruneTokens, expires, max),
      pruneGrants: (revoked, max) => prune(pruneGrants, revoked, max)
    })
  })
)
