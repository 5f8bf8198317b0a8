import { suite } from "@lists-and-things/domain/testing/ReceiptStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
