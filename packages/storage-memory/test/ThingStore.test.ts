import { suite as queries } from "@lists-and-things/domain/testing/ThingQuerySuite"
import { suite } from "@lists-and-things/domain/testing/ThingStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
queries("memory", layer)
