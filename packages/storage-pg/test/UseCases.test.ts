import { NodeCrypto } from "@effect/platform-node"
import { suite as clockSkew } from "@lists-and-things/testing/ClockSkewSuite"
import { suite as completion } from "@lists-and-things/testing/CompletionSuite"
import { suite as reminders } from "@lists-and-things/testing/RemindersSuite"
import { suite as lists } from "@lists-and-things/testing/ListsSuite"
import { smallLimits, suite as sizeLimits } from "@lists-and-things/testing/SizeLimitsSuite"
import { suite as unknownIds } from "@lists-and-things/testing/UnknownIdSuite"
import { suite as zoneChange } from "@lists-and-things/testing/ZoneChangeSuite"
import { suite as things } from "@lists-and-things/testing/ThingsSuite"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
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
  lists(`PostgreSQL ${version}`, layer)
  things(`PostgreSQL ${version}`, layer)
  completion(`PostgreSQL ${version}`, layer)
  reminders(`PostgreSQL ${version}`, layer)
  clockSkew(`PostgreSQL ${version}`, layer)
  sizeLimits(`PostgreSQL ${version}`, layer.pipe(Layer.provide(Layer.succeed(SizeLimits, smallLimits))))
  zoneChange(`PostgreSQL ${version}`, layer)
  unknownIds(`PostgreSQL ${version}`, layer)
}
