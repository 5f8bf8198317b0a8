import { suite as queries } from "@lists-and-things/testing/ReminderQuerySuite"
import { suite } from "@lists-and-things/testing/ReminderStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
queries("memory", layer)
