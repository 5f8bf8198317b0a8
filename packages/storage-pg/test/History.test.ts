import { NodeCrypto } from "@effect/platform-node"
import { suite as changes } from "@lists-and-things/testing/ChangesSuite"
import { suite as operations } from "@lists-and-things/testing/OperationsSuite"
import { suite as undoHistories } from "@lists-and-things/testing/UndoHistoriesSuite"
import { suite as undo } from "@lists-and-things/testing/UndoSuite"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Layer } from "effect"
import { afterAll } from "@effect/vitest"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const ports = PgStorage.layer(server.config())
  const layer = useCases.pipe(Layer.provideMerge(ports), Layer.provideMerge(NodeCrypto.layer))
  operations(`PostgreSQL ${version}`, layer)
  undo(`PostgreSQL ${version}`, layer)
  undoHistories(`PostgreSQL ${version}`, layer, { histories: 2, steps: 40 })
  changes(`PostgreSQL ${version}`, layer, { histories: 3, steps: 40 })
}
