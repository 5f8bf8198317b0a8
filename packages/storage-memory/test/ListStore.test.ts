import { suite as queries } from "@lists-and-things/domain/testing/ListQuerySuite"
import { suite } from "@lists-and-things/domain/testing/ListStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
queries("memory", layer)
