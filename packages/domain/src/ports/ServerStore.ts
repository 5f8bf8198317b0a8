import { Context } from "effect"
import type { Outdated } from "../days/ClockSkew.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { Stored } from "./Storage.ts"

/** A server over this storage, or one that was. */
export interface KnownServer {
  /** Name of the machine that it runs on. */
  readonly machine: string
  /** The address that it listens on. */
  readonly host: string
  readonly port: number
  /** site_url (docs/decisions.md#names). */
  readonly url: string
  readonly started: EpochMillis
  /** When it last said that it runs. */
  readonly seen: EpochMillis
  /** When it ended in good order; null when it did not say so. */
  readonly stopped: EpochMillis | null
}

/** Where servers answer. They belong to the installation, not to an account, and are in no dump. */
export class ServerStore extends Context.Service<
  ServerStore,
  {
    /** In place of the one on the same machine, address and port. */
    readonly put: (server: KnownServer) => Stored<void>
    /** By `seen`, newest first; at most a hundred. */
    readonly all: Stored<ReadonlyArray<KnownServer>>
    /** Removes at most `max` by `seen`, oldest first; returns how many. */
    readonly prune: (seen: Outdated, max: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/ServerStore") {}
