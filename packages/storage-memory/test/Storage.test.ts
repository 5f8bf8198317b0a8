import { suite as concurrentWrites } from "@lists-and-things/testing/ConcurrentWritesSuite"
import { suite as storage } from "@lists-and-things/testing/StorageSuite"
import { suite as transactWith } from "@lists-and-things/testing/TransactWithSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

storage("memory", layer)
concurrentWrites("memory", layer)
transactWith("memory", layer)
