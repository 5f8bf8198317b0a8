import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { facts } from "../../Output.ts"

export const run: StorageRun = (input) =>
  Effect.map(
    Effect.flatMap(StorageAdmin, (admin) => admin.status),
    (status) => {
      const json = {
        adapter: status.adapter,
        location: status.location,
        embedded: status.embedded,
        server_version: status.serverVersion,
        schema_version: status.schemaVersion,
        latest_schema_version: status.latestSchemaVersion,
        processes: status.processes,
        trigrams: status.trigrams,
        clock: new Date(status.clock).toISOString()
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
          ["clock", json.clock]
        ]),
        quiet: status.location
      }
    }
  )
