import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { suite, suiteLimits } from "@lists-and-things/testing/SizeStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"
import { Layer } from "effect"

suite("memory", layer.pipe(Layer.provide(Layer.succeed(SizeLimits, suiteLimits))))
