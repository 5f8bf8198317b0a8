import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { List } from "@lists-and-things/domain/lists/List"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { listJsonOf } from "../../ListViewJson.ts"
import { shortTime } from "../../ListText.ts"
import { table } from "../../Output.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const page = input.whole("page")
    const account = yield* ownerOf(input)
    const lists = yield* onBehalfOf(account)(page === undefined ? allPages : onePage(page))
    return {
      json: yield* Effect.forEach(lists, (list) => listJsonOf(account, list)),
      text: table(
        input.terminal,
        ["ID", "MODIFIED (UTC)", "TITLE"],
        lists.map((list) => [list.id, shortTime(list.updated), `${list.emoji} ${list.title}`.trim()])
      ),
      quiet: lists.map((list) => list.id).join("\n")
    }
  })

const onePage = (page: number) => Effect.flatMap(Lists, (lists) => Effect.map(lists.page(page), ({ items }) => items))

const allPages = Effect.gen(function* () {
  const lists = yield* Lists
  const all: Array<List> = []
  for (let page = 0, more = true; more; page++) {
    const { hasMore, items } = yield* lists.page(page)
    all.push(...items)
    more = hasMore
  }
  return all
})
