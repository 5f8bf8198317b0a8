import { Effect, Schema } from "effect"
import type { ListView } from "@lists-and-things/domain/lists/Lists"
import { Detail, MaxText, Page } from "../Arguments.ts"
import { compactReminder, type CompactReminder, ReminderResult } from "./ReminderResult.ts"
import { isOpen } from "@lists-and-things/domain/model/Thing"
import { ThingResult, thingResult, type ResultOptions } from "./ThingResult.ts"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { callersToday } from "@lists-and-things/domain/days/Day"
import { integer } from "@lists-and-things/domain/json/Fields"
import { ListJson, listJson } from "@lists-and-things/domain/json/ListJson"
import type { List } from "@lists-and-things/domain/model/List"
import { notify } from "@lists-and-things/domain/model/CurrentOperation"

const optionalKey = Schema.optionalKey

/**
 * Largest page in bytes of JSON: clients truncate a result at about 25,000 tokens, or 100,000 bytes. The 500 things that
 * a client may ask for fit when their texts are short.
 */
export const maxPageBytes = 96_000

/** Characters of a text in a result, unless `max_text` says otherwise; longer ones are truncated with `…`. */
export const defaultMaxText = 280
const defaultPageSize = 100

/** Paging arguments of get_list and get_today. */
export const pagingArguments = {
  maxText: optionalKey(MaxText),
  page: optionalKey(Page),
  pageSize: optionalKey(integer(1, 500).annotate({ hint: "Default 100.", examples: [100] })),
  includeCompleted: optionalKey(Schema.Boolean.annotate({ hint: "false leaves out completed and canceled things." })),
  detail: optionalKey(Detail)
}

/** For `encodeKeys`: the names that clients send. */
export const pagingKeys = { maxText: "max_text", pageSize: "page_size", includeCompleted: "include_completed" } as const

export interface PagingInput extends ResultOptions {
  readonly page?: number
  readonly pageSize?: number
  readonly includeCompleted?: boolean
}

/** A sentence that says which call returns the rest; absent if there is none. */
export const NextPage = optionalKey(Schema.String.annotate({ hint: "How to get the rest." }))

/** Says that a page is empty although the list is not: a client that counts from 1 would take the list for empty. */
export const notifyPageBeyondEnd = (page: number, shown: { readonly length: number }): Effect.Effect<void> =>
  page === 0 || shown.length > 0 ? Effect.void : notify(`There is nothing on page ${page}: pages count from 0.`)

export const pagingResult = {
  things: Schema.Array(ThingResult),
  reminders: Schema.Array(ReminderResult),
  page: Schema.Int,
  page_size: Schema.Int,
  has_more: Schema.Boolean,
  next_page: NextPage
}

/**
 * One page of a list. If a page with its reminders exceeds the clients' limit, its size is reduced to the largest divisor
 * of the requested size that fits, so that pages still line up. A notice explains an empty page beyond the end; it says so
 * if the client counts in pages of a size that was reduced.
 */
export const pageOf = Effect.fnUntraced(function* (
  view: Pick<ListView, "things" | "reminders">,
  input: PagingInput,
  tool: string,
  which: object
) {
  const open = input.includeCompleted === false
  const things = open ? view.things.filter(isOpen) : view.things
  const wanted = input.pageSize ?? defaultPageSize
  const start = (input.page ?? 0) * wanted
  const shown = { detail: input.detail ?? "compact", maxText: input.maxText ?? defaultMaxText } as const
  const reminders = new Map(view.reminders.map((reminder) => [reminder.thing.id, reminder]))
  const itemsFrom = (first: number) =>
    things.slice(first, first + wanted).map((thing): Item => {
      const reminder = reminders.get(thing.id)
      return { thing: thingResult(thing, shown), reminders: reminder ? [compactReminder(reminder, shown.maxText)] : [] }
    })
  const all = itemsFrom(start)
  const size = fittingSize(all, wanted)
  const fitting = all.slice(0, size)
  const page = start / size
  const more = things.length > start + size
  if (all.length === 0 && page > 0 && fittingSize(itemsFrom(0), wanted) < wanted)
    yield* notify(
      `There is nothing on page ${page} of ${wanted}, but page 0 of ${wanted} was cut, since it is too long: go on from it as its next_page says.`
    )
  else yield* notifyPageBeyondEnd(page, all)
  const next = { ...which, page: page + 1, page_size: size, ...(open ? { include_completed: false } : {}) }
  return {
    things: fitting.map(({ thing }) => thing),
    reminders: fitting.flatMap((item) => item.reminders),
    page,
    page_size: size,
    has_more: more,
    ...(more ? { next_page: `Call ${tool} with ${JSON.stringify(next)}; keep the other arguments.` } : {})
  }
})

/** A thing with its reminder, if it has one. */
interface Item {
  readonly thing: ThingResult
  readonly reminders: ReadonlyArray<CompactReminder>
}

const fittingSize = (items: ReadonlyArray<Item>, wanted: number): number => {
  const ends: Array<number> = []
  for (const { reminders, thing } of items) ends.push([thing, ...reminders].reduce(addBytes, ends.at(-1) ?? 0))
  for (let size = wanted; size > 1; size--) {
    if (wanted % size === 0 && (ends[Math.min(size, ends.length) - 1] ?? 0) <= maxPageBytes) return size
  }
  return 1
}

const addBytes = (bytes: number, value: unknown): number => bytes + Buffer.byteLength(JSON.stringify(value)) + 1

/** A list in the form that all tools return. */
export const shownList = (list: List): Effect.Effect<ListJson, never, Caller> =>
  Effect.map(callersToday, (date) => listJson(list, date))
