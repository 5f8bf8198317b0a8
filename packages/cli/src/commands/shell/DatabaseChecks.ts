import { lat } from "@lists-and-things/domain/text/CommandLine"
import { Distribution, type DistributionState } from "@lists-and-things/domain/ports/Distribution"
import { type Orphans, StorageAdmin, type StorageStatus } from "@lists-and-things/domain/ports/StorageAdmin"
import { rootCause } from "@lists-and-things/domain/model/RootCause"
import { assumption, type ServerAddress, serverAddress } from "@lists-and-things/domain/servers/ServerAddress"
import { Effect } from "effect"
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { codeOf, reasonOf, tagOf } from "../../Failure.ts"
import { isAhead, spanText } from "@lists-and-things/domain/days/ClockSkew"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { hasOwnDatabase, type Installation } from "../../Installation.ts"
import { runOver } from "../../StorageRunner.ts"
import { type Check, fine, problem, warning } from "./Check.ts"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** Orphans and the server's address are read only if the schema is the newest. */
const reading = Effect.gen(function* () {
  const admin = yield* StorageAdmin
  const asked = yield* currentTime
  const status = yield* admin.status
  const answered = yield* currentTime
  const isNewest = status.adapter === "postgres" && status.schemaVersion === status.latestSchemaVersion
  const orphans = isNewest ? yield* admin.orphans : undefined
  const address = isNewest ? yield* serverAddress(hostname()) : undefined
  return { status, asked, answered, orphans, address, distribution: yield* (yield* Distribution).state }
})

export interface FromDatabase {
  readonly checks: ReadonlyArray<Check>
  /** Undefined if the database cannot be reached or its schema is not the newest. */
  readonly address: ServerAddress | undefined
}

/** Checks that query the database; a single problem when it cannot be reached. */
export const databaseChecks = async (installation: Installation): Promise<FromDatabase> => {
  try {
    const { address, answered, asked, distribution, orphans, status } = await runOver(installation, reading, "accept")
    const checks = [
      ...statusChecks(status, asked, answered),
      ...(orphans === undefined ? [] : [referencesCheck(orphans)]),
      ...(distribution === undefined ? [] : [distributionCheck(distribution)]),
      ...(address === undefined ? [] : [serverCheck(address)])
    ]
    return { checks, address }
  } catch (error) {
    return { checks: [await unreachable(error, installation)], address: undefined }
  }
}

const unreachable = async (error: unknown, installation: Installation): Promise<Check> => {
  const cause = rootCause(error)
  const reason = reasonOf(cause)
  if (tagOf(error) === "SchemaRefused") return problem("migrations", reason, "Upgrade this program.")
  if (tagOf(error) === "PoolerRefused") {
    const found = "DATABASE_URL names a pooler that refuses parameters of connections"
    return problem("pooler", found, `Set LAT_DATABASE_POOLER=transaction, and run '${lat("doctor")}' again.`)
  }
  if (tagOf(error) === "DatabaseRefused")
    return problem("database", reason, "Name that one in DATABASE_URL then (docs/deploy.md#a-database-of-your-own).")
  if (tagOf(error) === "SqlError") return problem("database", `refuses a statement: ${reason}`, adviceOn(cause))
  const advice = hasOwnDatabase(installation) ? adviceOn(cause) : await adviceOnEmbedded(installation)
  return problem("database", `cannot be reached: ${reason}`, advice)
}

/** Advice about an external database, by SQLSTATE or by the error code of TLS. */
const adviceByCode: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^28...$/,
    "Correct the user and the password in DATABASE_URL, or let the server admit them: pg_hba.conf says whom, and from where. One that admits them over TLS alone needs sslmode=require in DATABASE_URL."
  ],
  [/^3D000$/, "Make that database, or correct its name in DATABASE_URL (docs/deploy.md#a-database-of-your-own)."],
  [
    /^53300$/,
    "Raise max_connections of the server, or the limit of the role or of the database, or end what else is connected."
  ],
  [/^42501$/, "The role of DATABASE_URL needs to own the database or its schema."],
  [
    /^(?:3F000|42P01|42883|42P10)$/,
    "The role of DATABASE_URL does not see all that this product made: check its search_path, its rights on the schema, and whether something was removed."
  ],
  [
    /CERT|VERIFY|SIGNATURE/,
    "The server's certificate must be valid for the host of DATABASE_URL. NODE_EXTRA_CA_CERTS names the file of an authority of your own (docs/deploy.md#a-database-of-your-own)."
  ]
]

/** Advice about an external database that fails with this cause. */
export const adviceOn = (cause: unknown): string => {
  const code = codeOf(cause) ?? ""
  return (
    adviceByCode.find(([codes]) => codes.test(code))?.[1] ??
    "Check that the server of DATABASE_URL runs (of several, that one accepts writes), and its host, port, user and password."
  )
}

/** Names the log if it can be read; otherwise the data folder is the problem, which has its own check. */
const adviceOnEmbedded = async (installation: Installation): Promise<string> => {
  try {
    const logs = join((await installation.embedded()).location, "log")
    await access(logs, constants.R_OK | constants.X_OK)
    return `See the newest log in ${logs}; '${lat("db stop")}' and any command start it anew.`
  } catch {
    return "See what is said of the data folder; where that is fine, nothing more is known."
  }
}

/** The address with which links and the calendar feed begin, unless the environment sets another. */
const serverCheck = (address: ServerAddress): Check => {
  const assumed = assumption(address)
  if (address._tag === "Unknown") return fine("server", "none has run yet")
  const where = `${address.server.url}, on ${address.server.machine} at ${address.server.host}:${address.server.port}`
  if (assumed === undefined) return fine("server", where)
  return address._tag === "Stopped"
    ? fine("server", `${where}. ${assumed}`)
    : warning("server", where, `${assumed} Its log says why; a new start on the same port takes its place.`)
}

/** The status was read between two times of this machine's clock. */
export const statusChecks = (
  status: StorageStatus,
  asked: EpochMillis,
  answered: EpochMillis
): ReadonlyArray<Check> => {
  if (status.adapter === "memory") {
    return [warning("database", "memory of this process", "Nothing survives: unset LAT_STORAGE to keep data.")]
  }
  return [
    versionCheck(status),
    schemaCheck(status),
    extensionCheck(status),
    poolerCheck(status),
    clockCheck(status.clock - Math.min(Math.max(status.clock, asked), answered)),
    writesCheck(status.lastWrite, answered)
  ]
}

const versionCheck = ({ acceptsWrites, embedded, location, otherWritable, serverVersion }: StorageStatus): Check => {
  const found = `PostgreSQL ${serverVersion ?? "unknown"}${embedded ? ", embedded" : ""}, ${location}`
  if (Number.parseInt(serverVersion ?? "0", 10) < 15)
    return problem("database", found, "PostgreSQL 15 or newer is needed: upgrade it, or unset DATABASE_URL.")
  if (!acceptsWrites)
    return problem(
      "database",
      `${found}: it only reads`,
      "Promote it where it is a standby, or name the primary in DATABASE_URL, which takes several hosts (docs/deploy.md#a-database-that-fails-over); else end its default_transaction_read_only."
    )
  return otherWritable.length === 0
    ? fine("database", found)
    : problem(
        "database",
        `${found}; ${otherWritable.join(", ")} accepts writes as well`,
        "Stop that one, or let it follow the one in use: what is written there is lost (docs/deploy.md#a-database-that-fails-over)."
      )
}

const schemaCheck = ({ latestSchemaVersion, schemaVersion }: StorageStatus): Check => {
  const found = `version ${schemaVersion} of ${latestSchemaVersion}`
  if (schemaVersion === latestSchemaVersion) return fine("migrations", found)
  return schemaVersion < latestSchemaVersion
    ? problem("migrations", found, `Run '${lat("db migrate")}'.`)
    : warning("migrations", found, "A newer release has used this database, beside which this one may run: upgrade it.")
}

const extensionCheck = ({ trigrams }: StorageStatus): Check =>
  trigrams
    ? fine("extensions", "pg_trgm: search runs on an index")
    : warning(
        "extensions",
        "search has no trigram index and reads every text",
        `Have an administrator run 'create extension pg_trgm; create extension btree_gin' in a schema that the role sees, then run '${lat("db migrate")}'.`
      )

/** Behind a pooler, connections get their limits from the settings of the role, except inside transactions. */
const poolerCheck = ({ missingRoleSettings: missing }: StorageStatus): Check => {
  if (missing === null) return fine("pooler", "none: LAT_DATABASE_POOLER is not set")
  return missing.length === 0
    ? fine("pooler", "transaction; the database role has its limits")
    : warning(
        "pooler",
        "the database role lacks limits, which a pooler does not pass on",
        `Have an administrator run: ${missing.join("; ")}. The pooler needs new connections then (RECONNECT in the console of PgBouncer).`
      )
}

export const referencesCheck = (orphans: ReadonlyArray<Orphans>): Check =>
  orphans.length === 0
    ? fine("references", "none is broken")
    : problem(
        "references",
        `broken: ${orphans.map(({ count, what }) => `${count} ${what}`).join(", ")}`,
        `Write a backup with '${lat("db dump")}', and report it: no command leaves that behind.`
      )

export const distributionCheck = ({ engine, nodes, pending }: DistributionState): Check => {
  if (nodes.length === 0) return fine("distribution", `${engine} is there, and all data on this server`)
  return pending.length === 0
    ? fine("distribution", `${engine}, data on ${nodes.length} ${nodes.length === 1 ? "worker" : "workers"}`)
    : problem(
        "distribution",
        `not distributed: ${pending.join(", ")}`,
        `Stop the servers and run '${lat("db distribute")}'.`
      )
}

const clockCheck = (ahead: number): Check => {
  const found = `the database's clock differs by ${(Math.abs(ahead) / 1000).toFixed(1)} s`
  const advice = "Let both machines keep time with NTP: 'now' and rate limits follow this machine's clock."
  if (Math.abs(ahead) < 2000) return fine("clock", found)
  return Math.abs(ahead) < 60_000 ? warning("clock", found, advice) : problem("clock", found, advice)
}

/** Write timestamps never decrease, so a clock that once ran ahead moves later timestamps into the future too. */
const writesCheck = (lastWrite: EpochMillis | null, now: EpochMillis): Check => {
  if (lastWrite === null || !isAhead(lastWrite, now)) return fine("last write", "not ahead of this machine's clock")
  return warning(
    "last write",
    `dated ${formatTime(lastWrite)}, ${spanText(lastWrite - now)} ahead of this machine's clock`,
    "Check this machine's clock. If it is right, one was ahead once: 'updated' rises from there on, 'created' is right."
  )
}
