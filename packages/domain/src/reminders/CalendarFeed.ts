import { Context, Effect, Layer } from "effect"
import { NotFound, type StorageUnavailable } from "../Errors.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { type CalendarEntry, calendarEntries } from "./CalendarEntry.ts"

export interface Calendar {
  /** IANA name; recurring entries repeat on its wall clock. */
  readonly zone: string
  /** By `start`, then `uid`. */
  readonly entries: ReadonlyArray<CalendarEntry>
}

/** What is not of this form is nobody's, and some storages cannot even look for it. */
const tokenForm = /^[\u0021-\u007e]{1,200}$/

/** All time reminders of open things, for calendar programs, which cannot send a bearer header. */
export class CalendarFeed extends Context.Service<
  CalendarFeed,
  {
    /** By the secret part of the feed's address, which stands for its owner; `NotFound` when it is nobody's. */
    readonly read: (token: string) => Effect.Effect<Calendar, NotFound | StorageUnavailable>
  }
>()("@lists-and-things/domain/reminders/CalendarFeed") {
  static readonly layer = Layer.effect(
    CalendarFeed,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const reminders = yield* ReminderStore
      const things = yield* ThingStore

      const read = Effect.fn("CalendarFeed.read")(function* (token: string) {
        const account = tokenForm.test(token) ? yield* accounts.byFeedToken(token) : undefined
        if (account === undefined) return yield* new NotFound({ message: "There is no calendar feed at this address." })
        const all = yield* reminders.all(account.id)
        const held = yield* things.getMany(
          account.id,
          all.map((reminder) => reminder.thingId)
        )
        const byId = new Map(held.map((thing) => [thing.id, thing]))
        const entries = all.flatMap((reminder) => {
          const thing = byId.get(reminder.thingId)
          return thing === undefined ? [] : calendarEntries(reminder, thing, account.timezone)
        })
        return {
          zone: account.timezone,
          entries: entries.toSorted((a, b) => a.start - b.start || (a.uid < b.uid ? -1 : 1))
        }
      })

      return CalendarFeed.of({ read })
    })
  )
}
