import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { viewList } from "../../ListRef.ts"
import { listText } from "../../ListText.ts"
import { listViewJson } from "../../ListViewJson.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const view = yield* viewList(account, input.argument("LIST"))
    const lists = yield* Lists
    const text = input.switch("markdown")
      ? yield* onBehalfOf(account)(lists.markdown(view.list.id))
      : listText(input.terminal, view, input.switch("ids"), account.timezone)
    return { json: yield* listViewJson(account, view), text, quiet: view.list.id }
  })
