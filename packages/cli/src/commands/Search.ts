import { todayIn } from "@lists-and-things/domain/days/Day"
import { searchJson } from "@lists-and-things/domain/json/SearchJson"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Search } from "@lists-and-things/domain/search/Search"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { publicUrl } from "@lists-and-things/settings/Settings"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { localText } from "../ListText.ts"

export const search: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const query = input.arguments("WORDS").join(" ")
    const { found, listTitles, shortOf } = yield* onBehalfOf(account)(searched(query))
    const local = (at: Thing["updated"]) => localText(at, false, account.timezone)
    const lists = found.lists.map((list) => [
      "",
      list.archived ? "archived list" : "list",
      `${list.emoji} ${list.title}`.trim(),
      "",
      local(list.updated)
    ])
    const things = found.things.map((thing) => [
      shortOf(thing.id),
      kindOf(thing),
      thingTitle(thing),
      listTitles.get(thing.listId) ?? "",
      local(thing.updated)
    ])
    const heads = ["ID", "KIND", "TEXT", "IN", `CHANGED (${account.timezone})`]
    const nothing = lists.length + things.length === 0
    const more = [...(found.listsHasMore ? ["lists"] : []), ...(found.thingsHasMore ? ["things"] : [])]
    return {
      json: searchJson(found, yield* publicUrl.config, todayIn(account.timezone, yield* currentTime)),
      text: nothing ? `Nothing has '${query}'.` : { heads, rows: [...lists, ...things] },
      quiet: [...found.lists, ...found.things].map(({ id }) => id).join("\n"),
      ...(more.length > 0 && { remark: `There are more ${more.join(" and ")}: add words to find fewer.` })
    }
  })

const searched = (query: string) =>
  Effect.gen(function* () {
    const target = yield* ThingTarget
    const found = yield* (yield* Search).search(query)
    const listTitles = yield* target.listTitles(found.things)
    return { found, listTitles, shortOf: yield* target.shortIds(found.things.map(({ id }) => id)) }
  })

const kindOf = (thing: Thing): string => {
  if (thing.canceled) return "canceled"
  if (thing.completed) return "done"
  return thing.type === "none" ? "note" : thing.type
}
