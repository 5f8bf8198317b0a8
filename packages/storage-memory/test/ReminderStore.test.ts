import { suite } from "@lists-and-things/testing/ReminderStoreSuite"
import { suite as byTime } from "@lists-and-things/testing/RemindersByTimeSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
byTime("memory", layer)
