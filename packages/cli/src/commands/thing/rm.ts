import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { confirm } from "../../Confirmation.ts"
import { count } from "../../Output.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import { noSuchThing } from "./ThingUpdates.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const ids = input.arguments("ID")
    yield* confirm(input, `Deleting ${count(ids.length, "thing")}`)
    const deleted = yield* onBehalfOf(account)((yield* BulkThings).remove(ids))
    if (deleted === 0) return yield* noSuchThing(account, ids)
    return { json: { deleted }, text: `Deleted ${count(deleted, "thing")}.` }
  })
