import { NodeCrypto } from "@effect/platform-node"
import { useCases } from "@lists-and-things/domain/UseCases"
import { suite } from "@lists-and-things/domain/testing/UseCasesSuite"
import { Layer } from "effect"
import { layer } from "../src/MemoryStorage.ts"

suite("memory", useCases.pipe(Layer.provideMerge(layer), Layer.provideMerge(NodeCrypto.layer)))
