import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"

/** The database below it with some of its statements replaced, such as by ones that a test counts. */
export const watchedDatabase = (
  replaced: (db: Database["Service"]) => Partial<Database["Service"]>
): Layer.Layer<Database, never, Database> =>
  Layer.effect(
    Database,
    Effect.map(Database, (db) => Database.of({ ...db, ...replaced(db) }))
  )
