import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { viewList } from "../../ListRef.ts"
import { listJsonOf } from "../../ListViewJson.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const found = yield* viewList(account, input.argument("LIST"))
    const archived = !input.switch("undo")
    const list = yield* onBehalfOf(account)((yield* Lists).update(found.list.id, { archived }))
    const text = archived
      ? `Archived ${list.title}. Bring it back: lat list archive ${list.id} --undo`
      : `${list.title} is back among the lists.`
    return { json: yield* listJsonOf(account, list), text, quiet: list.id }
  })
