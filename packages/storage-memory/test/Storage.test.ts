import { suite } from "@lists-and-things/testing/StorageSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
