import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { facts } from "../../Output.ts"
import { findAccount } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const ref = input.option("account")
    const owner = ref === undefined ? undefined : (yield* findAccount(ref)).id
    const { bytesOnDisk, ...counts } = yield* (yield* StorageAdmin).stats(owner)
    const sizes: ReadonlyArray<readonly [string, string]> =
      bytesOnDisk === null ? [] : [["size on disk", `${(bytesOnDisk / 1_048_576).toFixed(1)} MiB`]]
    return {
      json: { ...counts, bytes_on_disk: bytesOnDisk },
      text: facts(input.terminal, [
        ...Object.entries(counts).map(([name, amount]) => [name, amount.toLocaleString("en-US")] as const),
        ...sizes
      ])
    }
  })
