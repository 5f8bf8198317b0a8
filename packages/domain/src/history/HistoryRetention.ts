import { msPerDay } from "../model/EpochMillis.ts"
import { Context } from "effect"
import { defaultLimits } from "../size/SizeLimits.ts"

/** How much of its history an account keeps. */
export interface Retention {
  /** Days; 0 keeps operations for one day, without images. */
  readonly days: number
  /** Bytes of images per account, before any compression. */
  readonly bytes: number
}

export const defaultRetention: Retention = { days: 30, bytes: 2 * defaultLimits.account.bytes }

/** How long an operation is kept, in milliseconds. */
export const operationLifetime = ({ days }: Retention): number => Math.max(1, days) * msPerDay

/** The retention in force; configurable by the operator. Read when the layers are built. */
export const HistoryRetention = Context.Reference<Retention>("@lists-and-things/domain/history/HistoryRetention", {
  defaultValue: () => defaultRetention
})
