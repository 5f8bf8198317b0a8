import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { CreateListInput } from "@lists-and-things/domain/json/ListInput"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { listJsonOf } from "../../ListViewJson.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(CreateListInput)({
      title: input.argument("TITLE"),
      ...(input.option("emoji") !== undefined && { emoji: input.option("emoji") }),
      ...(input.option("sort") !== undefined && { sort: input.option("sort") })
    })
    const account = yield* ownerOf(input)
    const { list } = yield* onBehalfOf(account)((yield* Lists).create(given))
    return { json: yield* listJsonOf(account, list), text: `Made the list ${list.title} (${list.id}).`, quiet: list.id }
  })
