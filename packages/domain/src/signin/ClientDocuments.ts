import { Context, type Effect } from "effect"
import type { OAuthError } from "./OAuthError.ts"

/** Fetches the metadata of a client whose id is an https URL; a port, because it accesses the network. */
export class ClientDocuments extends Context.Service<
  ClientDocuments,
  {
    /** Whether any are fetched; where not, clients are told to register themselves. */
    readonly areFetched: boolean
    /**
     * The JSON at the address: public addresses only, no redirects, within 5 seconds, at most 64 KiB. `invalid_client`
     * otherwise.
     */
    readonly fetch: (url: string) => Effect.Effect<unknown, OAuthError>
  }
>()("@lists-and-things/domain/signin/ClientDocuments") {}
