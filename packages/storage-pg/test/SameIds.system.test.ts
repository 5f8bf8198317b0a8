import { NodeCrypto } from "@effect/platform-node"
import { afterAll } from "@effect/vitest"
import { useCases } from "@lists-and-things/domain/UseCases"
import { suite as operations } from "@lists-and-things/testing/OperationsSuite"
import { suite as undoHistories } from "@lists-and-things/testing/UndoHistoriesSuite"
import { suite as undoRefusals } from "@lists-and-things/testing/UndoRefusalsSuite"
import { suite as undoOfKey } from "@lists-and-things/testing/UndoOfKeySuite"
import { suite as undo } from "@lists-and-things/testing/UndoSuite"
import { Layer } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { sameIds } from "../src/testing/SameIds.ts"
import { migratedTemplate, openTestDatabase } from "../src/testing/TestDatabase.ts"
import { portSuites, useCaseSuites } from "./Suites.ts"

/**
 * Ids are unique only within an account: two accounts can have the same, for instance after a restore. A statement
 * without the owner in a condition would read or change data of another account, which makes a suite fail here.
 */
const server = await openTestDatabase({ version: 18 })
afterAll(() => server.stop())

const besideOthers = async (database: string) => {
  await server.createDatabase(database, `template ${migratedTemplate}`)
  for (const statement of sameIds) await server.sql(statement, database)
  return PgStorage.layer(server.config(database))
}

/** Without suites that count or prune data of all accounts. */
const { admin: _, historyPruning: __, idempotency: ___, ...ofOneAccount } = portSuites

for (const [database, suite] of Object.entries(ofOneAccount)) suite("beside the same ids", await besideOthers(database))

const ports = await besideOthers("use_cases")
useCaseSuites("beside the same ids", ports)
const layer = useCases.pipe(Layer.provideMerge(ports), Layer.provideMerge(NodeCrypto.layer))
operations("beside the same ids", layer)
undo("beside the same ids", layer)
undoOfKey("beside the same ids", layer)
undoRefusals("beside the same ids", layer)
undoHistories("beside the same ids", layer, { histories: 2, steps: 12 })
