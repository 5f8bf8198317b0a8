import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { Distribution, type DistributionState } from "@lists-and-things/domain/ports/Distribution"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { Effect } from "effect"
import type { LocalRun, StorageRun } from "../Command.ts"
import { Failure } from "../Failure.ts"
import { hasOwnDatabase } from "../Installation.ts"
import { sizeText } from "../Output.ts"
import { facts } from "../Table.ts"
import { findAccount } from "../Owner.ts"
import { confirm } from "../StandardInput.ts"

const distributionFacts = (state: DistributionState): ReadonlyArray<readonly [string, string]> => [
  [
    "distributed",
    state.nodes.length === 0 ? `no: ${state.engine} is there, see '${lat("db distribute")}'` : state.engine
  ],
  ...state.nodes.map(({ bytes, node, shards }) => [node, `${shards} shards, ${sizeText(bytes)}`] as const),
  ...(state.nodes.length > 0 && state.pending.length > 0
    ? [["not distributed", `${state.pending.join(", ")}: run '${lat("db distribute")}'`] as const]
    : [])
]

export const status: StorageRun = (input) =>
  Effect.map(
    Effect.all([
      Effect.flatMap(StorageAdmin, (admin) => admin.status),
      Effect.flatMap(Distribution, ({ state }) => state)
    ]),
    ([status, distribution]) => {
      const json = {
        adapter: status.adapter,
        location: status.location,
        embedded: status.embedded,
        server_version: status.serverVersion,
        schema_version: status.schemaVersion,
        latest_schema_version: status.latestSchemaVersion,
        processes: status.processes,
        trigrams: status.trigrams,
        clock: formatTime(status.clock),
        distribution: distribution ?? null
      }
      const behind = status.schemaVersion < status.latestSchemaVersion
      return {
        json,
        text: facts(input.terminal, [
          ["storage", `${status.embedded ? "embedded " : ""}${status.adapter} ${status.serverVersion ?? ""}`],
          ["location", status.location],
          ["schema", `version ${status.schemaVersion}${behind ? ` of ${status.latestSchemaVersion}` : ", up to date"}`],
          ["processes", `${status.processes} connected`],
          ["search", status.trigrams ? "on a trigram index" : "without a trigram index"],
          ["clock", json.clock],
          ...(distribution === undefined ? [] : distributionFacts(distribution))
        ]),
        quiet: status.location
      }
    }
  )

export const migrate: StorageRun = ({ progress }) =>
  Effect.gen(function* () {
    progress.begin("Migrating")
    const admin = yield* StorageAdmin
    const before = yield* admin.status
    const applied = yield* admin.migrate
    const { schemaVersion, trigrams } = yield* admin.status
    const migrated = applied.length === 0 ? [] : [`Applied ${applied.join(", ")}`]
    const indexed = trigrams && !before.trigrams ? ["Made the index of searches"] : []
    const done = [...migrated, ...indexed].join(". ") || "Nothing to do"
    return {
      json: { applied, schema_version: schemaVersion },
      text: `${done}: the schema is at version ${schemaVersion}.`
    }
  })

export const distribute: StorageRun = ({ progress }) =>
  Effect.gen(function* () {
    progress.begin("Distributing")
    const { distribute, state } = yield* Distribution
    const tables = yield* distribute
    const nodes = (yield* state)?.nodes.length ?? 0
    return {
      json: { distributed: tables, nodes },
      text:
        tables.length === 0
          ? "Nothing to do: every table with accounts' data is distributed."
          : `Distributed ${tables.join(", ")} over ${nodes} servers.`
    }
  })

export const stop: LocalRun = async (input, installation) => {
  if (hasOwnDatabase(installation)) {
    throw new Failure("DATABASE_URL is set: that server is not ours to stop.", "Stop it where it was started.")
  }
  const staysDown = input.switch("stay-down")
  const users = await installation.embeddedUsers()
  if (users !== 0)
    await Effect.runPromise(confirm(input, `Stopping the database under ${usersText(users)}`, { isFinal: false }))
  const stopped = await installation.stopEmbedded({ staysDown })
  return { json: { stopped }, text: stopped ? stoppedText(users, staysDown) : "It was not running." }
}

const usersText = (users: number | undefined): string =>
  users === undefined
    ? "programs that may use it"
    : users === 1
      ? "1 program that uses it"
      : `${users} programs that use it`

const stoppedText = (users: number | undefined, staysDown: boolean): string => {
  if (users === 0) return "The embedded PostgreSQL is stopped."
  return staysDown
    ? "The embedded PostgreSQL is stopped, until a command or another program starts it."
    : "The embedded PostgreSQL was stopped. The programs that use it start it again."
}

export const upgrade: LocalRun = async ({ progress }, installation) => {
  if (hasOwnDatabase(installation)) {
    throw new Failure(
      "DATABASE_URL is set: that server is not ours to upgrade.",
      `Use its own pg_upgrade, or '${lat("db dump")}' and '${lat("db load")}'.`
    )
  }
  progress.begin("Upgrading")
  const done = await installation.upgradeEmbedded()
  if (done === undefined) {
    return { json: { upgraded: false }, text: "Nothing to do: the data is of the PostgreSQL that this release brings." }
  }
  const { from, kept, rows, to } = done
  return {
    json: { upgraded: true, from, to, kept, rows },
    text: `The data is of PostgreSQL ${to} now, every row was counted. The data of PostgreSQL ${from} is kept in ${kept}: remove it when you are sure.`
  }
}

export const stats: StorageRun = (input) =>
  Effect.gen(function* () {
    const ref = input.option("account")
    const owner = ref === undefined ? undefined : (yield* findAccount(ref)).id
    const { bytesOnDisk, ...counts } = yield* (yield* StorageAdmin).stats(owner)
    const sizes: ReadonlyArray<readonly [string, string]> =
      bytesOnDisk === null ? [] : [["size on disk", sizeText(bytesOnDisk)]]
    return {
      json: { ...counts, bytes_on_disk: bytesOnDisk },
      text: facts(input.terminal, [
        ...Object.entries(counts).map(([name, amount]) => [name, inFigures(amount)] as const),
        ...sizes
      ])
    }
  })
