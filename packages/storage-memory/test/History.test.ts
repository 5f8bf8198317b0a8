import { NodeCrypto } from "@effect/platform-node"
import { useCases } from "@lists-and-things/domain/UseCases"
import { suite as changes } from "@lists-and-things/testing/ChangesSuite"
import { suite as operations } from "@lists-and-things/testing/OperationsSuite"
import { suite as undoHistories } from "@lists-and-things/testing/UndoHistoriesSuite"
import { suite as undoOfKey } from "@lists-and-things/testing/UndoOfKeySuite"
import { suite as undoRefusals } from "@lists-and-things/testing/UndoRefusalsSuite"
import { suite as undo } from "@lists-and-things/testing/UndoSuite"
import { Layer } from "effect"
import { layer } from "../src/MemoryStorage.ts"

const useCasesInMemory = useCases.pipe(Layer.provideMerge(layer), Layer.provideMerge(NodeCrypto.layer))

operations("memory", useCasesInMemory)
undo("memory", useCasesInMemory)
undoOfKey("memory", useCasesInMemory)
undoRefusals("memory", useCasesInMemory)
undoHistories("memory", useCasesInMemory, { histories: 10, steps: 60 })
changes("memory", useCasesInMemory, { histories: 20, steps: 60 })
