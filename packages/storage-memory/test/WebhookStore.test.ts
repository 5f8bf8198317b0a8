import { suite } from "@lists-and-things/testing/WebhookStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
