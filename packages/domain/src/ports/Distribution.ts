import { Context, type Effect } from "effect"
import type { Conflict, StorageUnavailable } from "../model/Errors.ts"
import type { Stored } from "./Storage.ts"

/** A server that has a part of the accounts' data. */
export interface DistributionNode {
  /** `host:port`. */
  readonly node: string
  readonly shards: number
  /** Of its shards, on disk. */
  readonly bytes: number
}

/** How accounts' data is spread. `nodes` is empty before the first `distribute`. */
export interface DistributionState {
  /** Such as `Citus 13.0.5`. */
  readonly engine: string
  readonly nodes: ReadonlyArray<DistributionNode>
  /** Tables with accounts' data that are not distributed yet; in any other than an empty list, `distribute` is due. */
  readonly pending: ReadonlyArray<string>
}

/** Spreads what accounts own over several servers; each account lies on one of them (docs/citus.md). */
export class Distribution extends Context.Service<
  Distribution,
  {
    /** Undefined where all data is on one server. */
    readonly state: Stored<DistributionState | undefined>
    /**
     * Distributes what is not distributed yet; returns the names of those tables. `Conflict` where the storage or the
     * schema does not allow it, or another program is connected.
     */
    readonly distribute: Effect.Effect<ReadonlyArray<string>, Conflict | StorageUnavailable>
  }
>()("@lists-and-things/domain/ports/Distribution") {}
