import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { confirm } from "../../Confirmation.ts"
import { viewList } from "../../ListRef.ts"
import { count } from "../../Output.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const { list, things } = yield* viewList(account, input.argument("LIST"))
    yield* confirm(input, `Deleting the list ${list.title} with ${count(things.length, "thing")}`)
    yield* onBehalfOf(account)((yield* Lists).remove(list.id))
    return { json: { deleted: list.id }, text: `Deleted ${list.title} with ${count(things.length, "thing")}.` }
  })
