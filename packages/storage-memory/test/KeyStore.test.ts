import { suite as admission } from "@lists-and-things/testing/KeyAdmissionSuite"
import { suite } from "@lists-and-things/testing/KeyStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
admission("memory", layer)
