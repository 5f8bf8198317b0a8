import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { dump } from "./Dump.ts"
import { load } from "./Load.ts"

export const layer = Layer.effect(
  InstanceDump,
  Effect.map(Database, (db) =>
    InstanceDump.of({ dump: (write) => dump(db, write), load: (next, options) => load(db, next, options) })
  )
)
