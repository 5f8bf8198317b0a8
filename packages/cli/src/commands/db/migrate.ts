import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"

export const run: StorageRun = () =>
  Effect.gen(function* () {
    const admin = yield* StorageAdmin
    const applied = yield* admin.migrate
    const { schemaVersion } = yield* admin.status
    const done = applied.length === 0 ? "Nothing to do" : `Applied ${applied.join(", ")}`
    return {
      json: { applied, schema_version: schemaVersion },
      text: `${done}: the schema is at version ${schemaVersion}.`
    }
  })
