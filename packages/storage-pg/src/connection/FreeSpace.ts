import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Clock, Effect } from "effect"
import { statfs } from "node:fs/promises"

/** The folder of the server's data on this machine, and the number of bytes that writes must leave free there. */
export interface Reserve {
  readonly folder: string
  readonly bytes: number
  /** Free bytes in the folder for a user who is not root. */
  readonly measure?: (folder: string) => Promise<number>
}

/** Free bytes in a folder for a user who is not root. */
export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Milliseconds for which a measurement is valid. */
const validFor = 1_000

export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MiB`

/**
 * Fails with `StorageUnavailable` while less than the reserve is free, so that the server keeps the space that it needs
 * to continue. Logs when this state begins and ends. Measures at most once a second, whatever the number of callers.
 */
export const makeFreeSpaceCheck = (reserve: Reserve | undefined): Effect.Effect<void, StorageUnavailable> => {
  if (reserve === undefined || reserve.bytes === 0) return Effect.void
  const { bytes, folder, measure = freeBytes } = reserve
  let [measured, full] = [Number.NEGATIVE_INFINITY, false]
  let measuring: Promise<number> | undefined

  const remeasure = (now: number) =>
    Effect.gen(function* () {
      // A folder that cannot be measured does not block writes: the server reports what is wrong with it.
      measuring ??= measure(folder)
        .catch(() => Number.POSITIVE_INFINITY)
        .finally(() => (measuring = undefined))
      const free = yield* Effect.promise(() => measuring ?? Promise.resolve(Number.POSITIVE_INFINITY))
      measured = now
      if (full === free < bytes) return
      full = free < bytes
      yield* full
        ? Effect.logError(
            `Only ${mebibytes(free)} are free at ${folder}, less than the ${mebibytes(bytes)} of LAT_MIN_FREE_BYTES: writes are refused (507), reads go on. Make room there; writes are accepted again by themselves.`
          )
        : Effect.logInfo(`There is room at ${folder} again (${mebibytes(free)}): writes are accepted.`)
    })

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - measured >= validFor || now < measured) yield* remeasure(now)
    if (full) return yield* new StorageUnavailable({ outcome: "not-applied", full: true })
  })
}
