import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { listText } from "../../ListText.ts"
import { listViewJson } from "../../ListViewJson.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const lists = yield* Lists
    const view = yield* onBehalfOf(account)(lists.day(input.option("date")))
    return {
      json: { date: view.date, ...(yield* listViewJson(account, view)) },
      text: listText(input.terminal, view, input.switch("ids"), account.timezone),
      quiet: view.list.id
    }
  })
