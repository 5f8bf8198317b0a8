import { suite as ordering } from "@lists-and-things/testing/ThingOrderSuite"
import { suite as queries } from "@lists-and-things/testing/ThingQuerySuite"
import { suite as appending } from "@lists-and-things/testing/ThingAppendSuite"
import { suite as together } from "@lists-and-things/testing/ThingBatchesSuite"
import { suite as keyed } from "@lists-and-things/testing/KeyedWritesSuite"
import { suite as search } from "@lists-and-things/testing/ThingSearchSuite"
import { suite as revising } from "@lists-and-things/testing/ThingRevisionSuite"
import { suite as removing } from "@lists-and-things/testing/ThingRemovalSuite"
import { suite } from "@lists-and-things/testing/ThingStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

suite("memory", layer)
ordering("memory", layer)
appending("memory", layer)
revising("memory", layer)
removing("memory", layer)
together("memory", layer)
keyed("memory", layer)
queries("memory", layer)
search("memory", layer)
