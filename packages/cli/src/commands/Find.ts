import { todayIn } from "@lists-and-things/domain/days/Day"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { searchJson } from "@lists-and-things/domain/json/SearchJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { Things, type ThingQuery } from "@lists-and-things/domain/things/Things"
import { findSiteUrl } from "@lists-and-things/settings/SiteUrl"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { localText, tagsText } from "../ListText.ts"
import { targetOf } from "../ListView.ts"
import { noneOnPage } from "../Table.ts"
import { thingContextOf } from "../ThingRefs.ts"
import { kindOf } from "../ThingText.ts"
import { timeOption } from "../TimeOption.ts"

export const search: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const query = input.arguments("WORDS").join(" ")
    const { found, lists, shortOf } = yield* onBehalfOf(account)(searched(query))
    const local = (at: Thing["updated"]) => localText(at, account.timezone)
    const listRows = found.lists.map((list) => [
      "",
      list.archived ? "archived list" : "list",
      `${list.emoji} ${list.title}`.trim(),
      "",
      local(list.updated)
    ])
    const thingRows = found.things.map((thing) => [
      shortOf(thing.id),
      kindOf(thing),
      thingTitle(thing),
      lists.get(thing.listId)?.title ?? "",
      local(thing.updated)
    ])
    const heads = ["ID", "KIND", "TEXT", "IN", `CHANGED (${account.timezone})`]
    const more = [...(found.listsHasMore ? ["lists"] : []), ...(found.thingsHasMore ? ["things"] : [])]
    const { url } = yield* findSiteUrl
    return {
      json: runStepsSync(searchJson(found, url, todayIn(account.timezone, yield* currentTime))),
      text: { heads, rows: [...listRows, ...thingRows], none: `Nothing matches '${query}'.` },
      quiet: [...found.lists, ...found.things].map(({ id }) => id).join("\n"),
      ...(more.length > 0 && { more: `There are more ${more.join(" and ")}: add words to find fewer.` })
    }
  })

const searched = (query: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Search).search(query)
    return { found, ...(yield* thingContextOf(found.things)) }
  })

export const things: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const page = input.wholeNumber("page") ?? 0
    const since = yield* timeOption(input, "since", account)
    const [list, tag, completed] = [input.option("list"), input.option("tag"), input.boolean("completed")]
    const query: ThingQuery = {
      ...(list !== undefined && targetOf(list)),
      ...(tag !== undefined && { tag }),
      ...(completed !== undefined && { completed }),
      ...(since !== undefined && { since: formatTime(since) }),
      sort: input.option("sort") === "updated" ? "updated" : "created",
      page
    }
    const { found, lists, shortOf } = yield* onBehalfOf(account)(listed(query))
    const heads = ["ID", "KIND", "TEXT", "TAGS", "IN", `CHANGED (${account.timezone})`]
    const rows = found.items.map((thing) => [
      shortOf(thing.id),
      kindOf(thing),
      thingTitle(thing),
      tagsText(thing.tags),
      lists.get(thing.listId)?.title ?? "",
      localText(thing.updated, account.timezone)
    ])
    return {
      json: found.items.map((thing) => thingJson(thing)),
      text: { heads, rows, none: noneOnPage(page, "There is no such thing.") },
      quiet: found.items.map(({ id }) => id).join("\n"),
      ...(found.hasMore && { more: `There are more: --page ${page + 1} shows the next.` })
    }
  })

const listed = (query: ThingQuery) =>
  Effect.gen(function* () {
    const found = yield* (yield* Things).page(query)
    return { found, ...(yield* thingContextOf(found.items)) }
  })

export const tags: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const found = yield* onBehalfOf(account)(Effect.flatMap(Tags, ({ list }) => list))
    return {
      json: found.map(({ color, count, name }) => ({ name, count, color })),
      text: {
        heads: ["TAG", "THINGS"],
        rows: found.map(({ count, name }) => [name, String(count)]),
        none: `Nothing has a tag yet: '${lat("thing edit THING --tag NAME")}' gives it one.`
      },
      quiet: found.map(({ name }) => name).join("\n")
    }
  })
