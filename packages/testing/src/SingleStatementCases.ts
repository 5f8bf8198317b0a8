import type { Effect } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import type { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import type { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { make } from "./AsOwner.ts"
import type { UseCases } from "./UndoFixtures.ts"

export type Needed = UseCases | SizeStore | IdempotencyStore | Preconditions | EntityTags

export interface Given {
  readonly settings?: Partial<Account>
  /** Creates further things. The thing under test is created in `list` with `fields`, between two others. */
  readonly before?: Effect.Effect<unknown, unknown, Needed | Caller>
  readonly list?: string
  readonly fields?: object
  readonly reminder?: object
  /** Whether one call creates the four things with one time, and another four things in a day list. */
  readonly isOneCall?: boolean
}

interface Case extends Given {
  readonly reminder: object
  readonly patch: object
}

export const daily = { at: "2026-11-20T09:00", repeat: "daily" }
export const done = { completed: true }

export const cases: Readonly<Record<string, Case>> = {
  "a repeating thing, the first of its next day": { reminder: daily, patch: done },
  "a repeating thing, beside others of its next day": {
    before: make({ text: "other", list: "2026-11-22", note: "n" }),
    reminder: { ...daily, alert_minutes: 5, color: "#112233" },
    patch: done
  },
  "a repeating thing with tags, whose content changes as well": {
    fields: { tags: ["Home", "Garden"], url: "https://example.com", note: "äöü", tabs: 2, favorited: true },
    reminder: { at: "2026-11-20T09:00", end: "2026-11-20T10:00", repeat: "weekly", days: ["monday", "friday"] },
    patch: { canceled: true, text: "Water **cacti**", tags: ["home", "Kakteen"], header: true, url: "", note: "longer" }
  },
  "a repeating thing that stays in its list": {
    settings: { repeatMovesToDay: false },
    reminder: daily,
    patch: { completed: true, tabs: 1 }
  },
  "a repeating thing of a day, where others stay in their lists": {
    settings: { repeatMovesToDay: false },
    list: "2026-11-20",
    reminder: daily,
    patch: done
  },
  "a repeating thing in the list of its next day": { list: "2026-11-22", reminder: daily, patch: done },
  "a repeating thing whose occurrence is named": {
    reminder: daily,
    patch: { completed: true, occurrence: "2026-11-20T09:00" }
  },
  "an all-day yearly thing in another zone": {
    settings: { timezone: "Pacific/Auckland" },
    reminder: { at: "2026-02-28", repeat: "yearly", alert_minutes: 60 },
    patch: done
  },
  "a thing with a one-off reminder": { fields: { tags: ["Home"] }, reminder: { at: "2026-12-01T09:00" }, patch: done },
  "a rule without further occurrences": {
    reminder: { ...daily, repeat_until: "2026-11-21T11:00" },
    patch: { canceled: true, text: "Never" }
  },
  "a thing completed before": { fields: { completed: true }, reminder: { at: "2026-12-01T09:00" }, patch: done },
  "content only, which leaves the reminder": {
    reminder: daily,
    patch: { text: "Water the cacti", tags: ["Kakteen"], favorited: true }
  },
  "every field, which leaves the reminder": {
    fields: { tags: ["Home"] },
    reminder: daily,
    patch: {
      ...{ text: "  **Other** text", type: "bullet", url: "https://example.com/other", note: "# Note", tabs: 2 },
      ...{ tags: ["Other", "Garden"], photos: ["https://example.com/1.png"], favorited: true },
      ...{ bold: true, italic: true, underline: true, subheader: true, quote: true }
    }
  },
  "every field of a repeating thing that stays in its list": {
    settings: { repeatMovesToDay: false },
    fields: { tags: ["Home"], type: "todo", photos: ["https://example.com/1.png"], note: "n" },
    reminder: daily,
    patch: {
      ...{
        canceled: true,
        text: "Other text",
        type: "none",
        url: "https://example.com/other",
        note: "# Note",
        tabs: 2
      },
      ...{ photos: [], favorited: true, bold: false, italic: true, underline: true, header: true, code: true }
    }
  },
  "a repeating thing that stays in its list, between others of the same time": {
    settings: { repeatMovesToDay: false },
    isOneCall: true,
    fields: { tags: ["Home"] },
    reminder: daily,
    patch: done
  },
  "a repeating thing that goes to its next day, from others of the same time": {
    isOneCall: true,
    fields: { tags: ["Home"] },
    reminder: daily,
    patch: done
  },
  "a repeating thing of a list with a later thing": {
    before: make({ text: "later", list: "Chores", created: "2026-12-24T12:00:00Z" }),
    reminder: daily,
    patch: done
  },
  "a repeating thing of a day with a later thing": {
    before: make({ text: "later", list: "2026-11-22", created: "2026-12-24T12:00:00Z" }),
    reminder: daily,
    patch: done
  },
  "no actual change": { reminder: daily, patch: { text: "Water" } }
}

/** Patches that move the thing to the list "Shop", which has a thing. */
export const moves: Readonly<Record<string, Given & { readonly patch?: object }>> = {
  "a plain thing moves": {},
  "a thing with a reminder moves and changes": {
    fields: { tags: ["Home"], note: "äöü" },
    reminder: daily,
    patch: { text: "Water more", tabs: 3 }
  },
  "a thing moves and is completed": { reminder: { at: "2026-12-01T09:00" }, patch: done },
  "a repeating thing is completed where it is": { list: "Shop", reminder: daily, patch: done },
  "a thing moves to where it is": { list: "Shop", patch: { favorited: true } }
}
