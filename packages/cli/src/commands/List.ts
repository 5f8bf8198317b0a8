import { counted } from "@lists-and-things/domain/text/Wording"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { CreateListInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import type { List } from "@lists-and-things/domain/model/List"
import type { ListSelection } from "@lists-and-things/domain/ports/ListStore"
import type { Account } from "@lists-and-things/domain/model/Account"
import { type DayView, Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { atOccurrence, type ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { UsageError } from "../Failure.ts"
import { definedFields, type Input } from "../Input.ts"
import { confirm, undoable } from "../StandardInput.ts"
import { listJsonOf, listViewJson, viewList } from "../ListView.ts"
import { listText, localText, otherListsText } from "../ListText.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { noneOnPage } from "../Table.ts"
import { thingContextOf } from "../ThingRefs.ts"

export const today: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const lists = yield* Lists
    const view = yield* onBehalfOf(account)(lists.day(input.option("date")))
    return {
      json: { date: view.date, ...(yield* listViewJson(account, view)) },
      text: [yield* shownList(input, account, view), ...(yield* dueElsewhere(input, account, view))].join("\n"),
      quiet: view.list.id
    }
  })

/** What is due on the day, comes again on it, or was due before it in other lists, as sections. */
const dueElsewhere = (input: Input, account: Account, { date, list }: DayView) =>
  Effect.gen(function* () {
    const found = yield* (yield* Reminders).onDay(date)
    const isElsewhere = ({ thing }: ReminderView) => thing.listId !== list.id
    const [due, overdue] = [found.due.filter(isElsewhere), found.overdue.filter(isElsewhere)]
    const again = found.again.filter(isElsewhere).map(atOccurrence)
    const { lists, shortOf } = yield* thingContextOf([...due, ...again, ...overdue].map(({ thing }) => thing))
    const around = { lists, shortOf: input.switch("ids") ? (id: string) => id : shortOf }
    const section = (title: string, views: ReadonlyArray<ReminderView>) =>
      views.length === 0 ? [] : [otherListsText(input.terminal, title, views, around)]
    return [
      ...section("Due on this day, in other lists", due),
      ...section("Comes again on this day, in other lists", again),
      ...section("Overdue", overdue)
    ]
  }).pipe(onBehalfOf(account))

/** With short ids, or whole ones with `--ids`. */
const shownList = (input: Input, account: Account, view: ListView) =>
  Effect.gen(function* () {
    const { shortIds } = yield* ThingTarget
    const short = yield* onBehalfOf(account)(shortIds(view.things.map(({ id }) => id)))
    return listText(input.terminal, view, input.switch("ids") ? (id) => id : short)
  })

export const ls: StorageRun = (input) =>
  Effect.gen(function* () {
    const page = input.wholeNumber("page")
    const account = yield* ownerOf(input)
    const only = input.switch("archived") ? "archived" : undefined
    const found = onBehalfOf(account)(page === undefined ? allPages(only) : onePage(page, only))
    const { hasMore, items: lists } = yield* found
    const local = (list: List) => localText(list.updated, account.timezone)
    return {
      json: yield* Effect.forEach(lists, (list) => listJsonOf(account, list)),
      text: {
        heads: ["ID", "MODIFIED", "TITLE"],
        rows: lists.map((list) => [list.id, local(list), `${list.emoji} ${list.title}`.trim()]),
        none: noneOnPage(
          page ?? 0,
          only === undefined ? `No list yet. Make one: ${lat("list create TITLE")}` : "No list is archived."
        )
      },
      quiet: lists.map((list) => list.id).join("\n"),
      ...(hasMore && { more: `There are more: --page ${(page ?? 0) + 1} shows the next.` })
    }
  })

const onePage = (page: number, only: ListSelection | undefined) =>
  Effect.flatMap(Lists, (lists) => lists.page(page, only))

const allPages = (only: ListSelection | undefined) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    const all: Array<List> = []
    for (let page = 0, more = true; more; page++) {
      const { hasMore, items } = yield* lists.page(page, only)
      all.push(...items)
      more = hasMore
    }
    return { items: all, hasMore: false }
  })

export const show: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const view = yield* viewList(account, input.argument("LIST"))
    const lists = yield* Lists
    const text = input.switch("markdown")
      ? (yield* onBehalfOf(account)(lists.markdown(view.list.id))).toString()
      : yield* shownList(input, account, view)
    return { json: yield* listViewJson(account, view), text, quiet: view.list.id }
  })

export const create: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(
      CreateListInput,
      input.wording
    )({
      title: input.argument("TITLE"),
      ...(input.option("emoji") !== undefined && { emoji: input.option("emoji") }),
      ...(input.option("sort") !== undefined && { sort: input.option("sort") })
    })
    const account = yield* ownerOf(input)
    const { list } = yield* onBehalfOf(account)((yield* Lists).create(given))
    return {
      json: yield* listJsonOf(account, list),
      text: `Created the list ${list.title} (${list.id}).`,
      quiet: list.id
    }
  })

export const edit: StorageRun = (input) =>
  Effect.gen(function* () {
    const changes = definedFields({
      title: input.option("title"),
      emoji: input.option("emoji"),
      sort: input.option("sort"),
      favorited: input.boolean("favorited")
    })
    if (Object.keys(changes).length === 0)
      return yield* Effect.fail(new UsageError("name at least one change, such as --title Food"))
    const patch = yield* decodeInput(UpdateListInput, input.wording)(changes)
    const account = yield* ownerOf(input)
    const found = yield* viewList(account, input.argument("LIST"))
    const list = yield* onBehalfOf(account)((yield* Lists).update(found.list.id, patch))
    return {
      json: yield* listJsonOf(account, list),
      text: `Changed the list ${list.title} (${list.id}).`,
      quiet: list.id
    }
  })

export const archive: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const archived = !input.switch("undo")
    const found = yield* viewList(account, input.argument("LIST"), archived ? "open" : "archived")
    const list = yield* onBehalfOf(account)((yield* Lists).update(found.list.id, { archived }))
    const text = archived
      ? `Archived ${list.title}. Bring it back: ${lat(`list archive ${list.id} --undo`)}`
      : `${list.title} is back among the lists.`
    return { json: yield* listJsonOf(account, list), text, quiet: list.id }
  })

export const remove: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const { list, things } = yield* viewList(account, input.argument("LIST"))
    yield* confirm(input, `Deleting the list ${list.title} with ${counted(things.length, "thing")}`, undoable)
    yield* onBehalfOf(account)((yield* Lists).remove(list.id))
    return { json: { deleted: list.id }, text: `Deleted ${list.title} with ${counted(things.length, "thing")}.` }
  })
