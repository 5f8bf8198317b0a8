import { suite } from "@lists-and-things/testing/ServerStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
