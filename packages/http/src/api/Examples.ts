import { dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { Result } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import { initialSettings } from "@lists-and-things/domain/caller/AccountSettings"
import type { AccountId, ListId, ReminderId, ThingId } from "@lists-and-things/domain/model/Ids"
import { bulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { occurrencesJson, previewJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { documentJson, searchJson } from "@lists-and-things/domain/json/SearchJson"
import { thingJson, updatedThingJson } from "@lists-and-things/domain/json/ThingJson"
import type { List } from "@lists-and-things/domain/model/List"
import { renderMarkdown } from "@lists-and-things/domain/markdown/MarkdownExport"
import { occurrencesFrom } from "@lists-and-things/domain/recurrence/Recurrence"
import type { Reminder, TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import { draftReminder } from "@lists-and-things/domain/reminders/ReminderDraft"
import { viewReminder } from "@lists-and-things/domain/reminders/ReminderView"
import { listDocument } from "@lists-and-things/domain/markdown/Document"
import { tagColor } from "@lists-and-things/domain/text/TagNames"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { draftThing } from "@lists-and-things/domain/things/ThingDraft"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * Examples for the documents, computed by the code that serves requests: one account with one list, one thing in it
 * and one reminder on it. Each is a function, so that it is computed only when documents are requested.
 */

const created = EpochMillis(Date.parse("2026-11-20T08:00:00.000Z"))
export const updated = EpochMillis(Date.parse("2026-11-20T08:05:12.345Z"))

export const owner: Account = {
  ...initialSettings,
  id: exampleIds.account as AccountId,
  email: "you@example.com",
  timezone: "UTC",
  created
}

export const groceries: List = {
  id: exampleIds.list as ListId,
  owner: owner.id,
  title: "Groceries",
  emoji: "🛒",
  day: null,
  favorited: false,
  archived: false,
  sort: owner.defaultListSort,
  created,
  updated
}

export const newThing = { text: "Oat **milk**, two litres", tags: ["errands"] }

const { content, favorited, tabs } = draftThing(newThing, owner)

export const milk: Thing = {
  ...content,
  id: exampleIds.thing as ThingId,
  owner: owner.id,
  listId: groceries.id,
  position: { sortTime: created, sequence: 0 },
  tabs,
  favorited,
  cloneOf: null,
  hasClones: false,
  created,
  updated
}

export const newReminder = { at: "2026-11-23T09:00:00Z", days: ["mon"], alert_minutes: 10 }

const draft = () =>
  Result.getOrThrow(
    draftReminder({ at: newReminder.at, days: ["monday"], alertMinutes: newReminder.alert_minutes }, owner)
  )

export const weekly = (): Reminder => ({
  ...draft(),
  id: exampleIds.reminder as ReminderId,
  owner: owner.id,
  thingId: milk.id,
  created
})

const nextOccurrences = (count: number): ReadonlyArray<EpochMillis> =>
  occurrencesFrom(draft().trigger as TimeTrigger, owner.timezone, created, count)

const view = () => viewReminder(weekly(), milk, owner.timezone, new Map())

export const thingId = milk.id
export const list = (changes: Partial<List> = {}) => listJson({ ...groceries, ...changes }, "2026-11-20")
export const thing = () => thingJson(milk)
export const reminder = () => reminderJson(view())
export const listView = (changes: Partial<List> = {}) => ({ list: list(changes), things: [thing()], reminders: [] })
export const occurrences = (count: number) => occurrencesJson(nextOccurrences(count))
export const preview = (count: number) => previewJson({ summary: view().summary, occurrences: nextOccurrences(count) })
export const completed = () =>
  updatedThingJson({ thing: { ...milk, completed: true }, repeating: undefined, reminderRemoved: true })
export const bulkCreated = () =>
  bulkCreatedJson({ created: 2, skipped: 0, byList: [{ listId: groceries.id, created: 2, skipped: 0 }] })
export const document = (siteUrl: string) => {
  const document = documentJson(runStepsSync(listDocument(groceries, [milk])), siteUrl)
  return { ...document, text: document.text.toString() }
}
export const markdown = () => renderMarkdown(groceries, [milk])
export const found = (siteUrl: string) =>
  runStepsSync(
    searchJson(
      { query: "milk", lists: [], things: [milk], listsHasMore: false, thingsHasMore: false },
      siteUrl,
      "2026-11-20"
    )
  )
export const tags = () => ({ tags: newThing.tags.map((name) => ({ name, count: 12, color: tagColor(name) })) })
export const paging = { page: 0, page_size: 50, has_more: false }
export const dryRun = () =>
  dryRunJson({
    summary: "Added “Oat milk” to “Groceries”",
    counts: { lists: 0, things: 1, reminders: 0, places: 0 },
    entities: [{ type: "thing", id: milk.id, change: "created", before: undefined, after: undefined }],
    truncated: false
  })
