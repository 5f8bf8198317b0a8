import { NodeCrypto } from "@effect/platform-node"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { Layer } from "effect"

/** The services for tool calls, over the memory adapter; new ones for each use. */
export const inMemory = Layer.mergeAll(
  Authenticator.layerApiKeys,
  Layer.succeed(BaseUrl, { url: "http://lists.test" })
).pipe(Layer.provideMerge(useCases), Layer.provideMerge(MemoryStorage.layer), Layer.provide(NodeCrypto.layer))
