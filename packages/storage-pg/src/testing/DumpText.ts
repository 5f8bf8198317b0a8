import { InstanceDump, type DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Layer, type Redacted } from "effect"
import { dumpFormat } from "@lists-and-things/domain/backup/FileFormats"
import { applyMigrations, beginMigrating } from "../Migrating.ts"

/** A dump of what the ports store. */
export const dumpText = <E>(ports: Layer.Layer<InstanceDump, E>): Promise<string> => {
  const pieces: Array<string> = []
  const write = (text: string) => Effect.sync(() => void pieces.push(text))
  const dumped = Effect.flatMap(InstanceDump, (instance) => instance.dump(write))
  return Effect.runPromise(Effect.map(Effect.provide(dumped, ports), () => pieces.join("")))
}

/** Loads a dump, in pieces of that many bytes; its webhooks stay on. */
export const loadText = <E>(
  ports: Layer.Layer<InstanceDump, E>,
  dump: string | Uint8Array,
  size = 7_919
): Promise<DumpCounts> => {
  const bytes = Buffer.from(dump)
  let at = 0
  const next = Effect.sync(() => {
    const piece = bytes.subarray(at, at + size)
    at += size
    return piece.length === 0 ? undefined : piece
  })
  const loaded = Effect.flatMap(InstanceDump, (instance) => instance.load(next, { live: true }))
  return Effect.runPromise(Effect.provide(loaded, ports))
}

/** The rows of each table, in an order that does not depend on where they are stored. */
export const rowsByTable = (dump: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const tables: Record<string, Array<string>> = {}
  let rows: Array<string> = []
  for (const line of dump.trimEnd().split("\n")) {
    if (line.startsWith('["')) tables[(JSON.parse(line) as [string])[0]] = rows = []
    else if (!line.includes(dumpFormat)) rows.push(line)
  }
  for (const each of Object.values(tables)) each.sort()
  delete tables["end"]
  return tables
}

/** Without what a load changes: see `Load.ts`. */
export const withoutClocks = (dump: string) => {
  const { write_clocks: clocks = [], ...tables } = rowsByTable(dump)
  const others = clocks.map((row) => ({ ...(JSON.parse(row) as object), last_write: 0, history_from: 0 }))
  return { ...tables, clocks: others }
}

/** Makes the schema as it was at a version, in an empty database, and runs statements on it. */
export const makeEarlierSchema = (
  url: Redacted.Redacted<string>,
  version: number,
  statements: ReadonlyArray<string>
): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make({ url })
        yield* beginMigrating(connection)
        yield* applyMigrations(connection, (each) => each <= version)
        for (const statement of statements) yield* connection.query(statement)
        yield* connection.query("commit")
      })
    )
  )
