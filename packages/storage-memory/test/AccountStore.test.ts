import { suite } from "@lists-and-things/domain/testing/AccountStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
