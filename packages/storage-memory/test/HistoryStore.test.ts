import { suite as reading } from "@lists-and-things/testing/HistoryReadSuite"
import { suite } from "@lists-and-things/testing/HistoryStoreSuite"
import { layer } from "../src/MemoryStorage.ts"

suite("memory", layer)
reading("memory", layer)
