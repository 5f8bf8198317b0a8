import { suite as everyWrite } from "@lists-and-things/testing/EveryWriteSuite"
import { suite as pruning } from "@lists-and-things/testing/HistoryPruningSuite"
import { suite as many } from "@lists-and-things/testing/HistoryManySuite"
import { suite as merging } from "@lists-and-things/testing/HistoryMergingSuite"
import { suite as reading } from "@lists-and-things/testing/HistoryReadSuite"
import { suite } from "@lists-and-things/testing/HistoryStoreSuite"
import { layer } from "../src/MemoryStorage.ts"

suite("memory", layer)
reading("memory", layer)
merging("memory", layer)
many("memory", layer)
pruning("memory", layer)
everyWrite("memory", layer)
