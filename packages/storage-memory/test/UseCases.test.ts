import { NodeCrypto } from "@effect/platform-node"
import { suite as bulkThings } from "@lists-and-things/testing/BulkThingsSuite"
import { suite as clockSkew } from "@lists-and-things/testing/ClockSkewSuite"
import { suite as completion } from "@lists-and-things/testing/CompletionSuite"
import { suite as reminderViews } from "@lists-and-things/testing/ReminderViewsSuite"
import { suite as reminders } from "@lists-and-things/testing/RemindersSuite"
import { suite as lists } from "@lists-and-things/testing/ListsSuite"
import { smallLimits, suite as sizeLimits } from "@lists-and-things/testing/SizeLimitsSuite"
import { suite as thingTarget } from "@lists-and-things/testing/ThingTargetSuite"
import { suite as updateInOneStatement } from "@lists-and-things/testing/SingleStatementUpdateSuite"
import { suite as unknownIds } from "@lists-and-things/testing/UnknownIdSuite"
import { suite as zoneChange } from "@lists-and-things/testing/ZoneChangeSuite"
import { suite as things } from "@lists-and-things/testing/ThingsSuite"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Layer } from "effect"
import { layer } from "../src/MemoryStorage.ts"

const useCasesInMemory = useCases.pipe(Layer.provideMerge(layer), Layer.provideMerge(NodeCrypto.layer))

lists("memory", useCasesInMemory)
things("memory", useCasesInMemory)
bulkThings("memory", useCasesInMemory)
completion("memory", useCasesInMemory)
reminders("memory", useCasesInMemory)
reminderViews("memory", useCasesInMemory)
clockSkew("memory", useCasesInMemory)
sizeLimits("memory", useCasesInMemory.pipe(Layer.provide(Layer.succeed(SizeLimits, smallLimits))))
zoneChange("memory", useCasesInMemory)
unknownIds("memory", useCasesInMemory)
thingTarget("memory", useCasesInMemory)
updateInOneStatement("memory", useCasesInMemory)
