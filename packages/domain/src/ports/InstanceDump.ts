import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, StorageUnavailable } from "../model/Errors.ts"

/** How many rows of each table; what the adapter's tables are is its own affair. */
export type DumpCounts = Readonly<Record<string, number>>

/**
 * All that an installation stores, of every account: hashes of keys and passwords, sign-ins, settings and history
 * included (docs/backup-and-upgrade.md).
 */
export class InstanceDump extends Context.Service<
  InstanceDump,
  {
    /** Passes one consistent state on as text, piece by piece, and waits for each. `Conflict` where nothing is stored. */
    readonly dump: <E>(
      write: (text: string) => Effect.Effect<void, E>
    ) => Effect.Effect<DumpCounts, E | Conflict | StorageUnavailable>
    /**
     * Stores what `dump` wrote, all or nothing. `next` answers undefined at the end. `Conflict` when the installation
     * has an account; what an installation without accounts holds, such as registered clients, is replaced.
     * `InvalidInput` for what is no dump, is damaged, incomplete or followed by something, or is of a newer release.
     * Webhooks are switched off, unless `live`, so that a restore test notifies nobody. Cursors of the feed of changes
     * from before are `Gone` afterwards.
     */
    readonly load: <E>(
      next: Effect.Effect<Uint8Array | undefined, E>,
      options: { readonly live: boolean }
    ) => Effect.Effect<DumpCounts, E | Conflict | InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/ports/InstanceDump") {}
