import { suite as queries } from "@lists-and-things/testing/ListQuerySuite"
import { suite } from "@lists-and-things/testing/ListStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
queries("memory", layer)
