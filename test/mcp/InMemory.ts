import { NodeCrypto } from "@effect/platform-node"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { Layer } from "effect"

/** What calls of tools need, over the memory adapter; a fresh one for each that provides it. */
export const inMemory = Layer.mergeAll(
  Authenticator.layerApiKeys,
  Layer.succeed(BaseUrl, { url: "http://lists.test" })
).pipe(Layer.provideMerge(useCases), Layer.provideMerge(MemoryStorage.layer), Layer.provide(NodeCrypto.layer))
