import { Context, Effect, Layer } from "effect"
import { Accounts } from "../caller/Accounts.ts"
import { NotFound, RateLimited, type StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { AttemptLimiter } from "../signin/AttemptLimiter.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { forEachYielding, sortYielding } from "../scheduling/Yielding.ts"
import { type CalendarEntry, calendarEntries } from "./CalendarEntry.ts"
import { futureThenOverdue } from "./ReminderRange.ts"
import { currentTime, EpochMillis, msPerHour } from "../model/EpochMillis.ts"
import { chargeAnswerTo } from "../size/AnswerBudget.ts"
import { traced } from "../scheduling/Traced.ts"

/** The reminders of an account as events. */
export interface Calendar {
  /** IANA name; recurring entries repeat on its wall clock. */
  readonly zone: string
  /** By `start`, then `uid`. */
  readonly entries: ReadonlyArray<CalendarEntry>
}

/** Maximum reminders in a feed, in the order of `futureThenOverdue`. */
export const feedLimit = 10_000
/** Reads per account and hour, as for an API key. */
const hourlyLimit = 1_000
/** Things per read; small, since their notes may be long. */
const chunkSize = 100

/** The time reminders of open things, for calendar programs, which cannot send a bearer header. */
export class CalendarFeed extends Context.Service<
  CalendarFeed,
  {
    /**
     * The feed with this secret in its address; `NotFound` when no account has it, `RateLimited` after 1,000 reads of
     * the account's feed within the same clock hour.
     */
    readonly read: (token: string) => Effect.Effect<Calendar, NotFound | RateLimited | StorageUnavailable>
  }
>()("@lists-and-things/domain/reminders/CalendarFeed") {
  static readonly layer = Layer.effect(
    CalendarFeed,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const lists = yield* ListStore
      const reminders = yield* ReminderStore
      const things = yield* ThingStore
      const attempts = yield* AttemptLimiter

      const count = Effect.fnUntraced(function* (owner: AccountId, now: EpochMillis) {
        const began = Math.floor(now / msPerHour)
        const admitted = yield* attempts.take(`calendar feed of ${owner} in ${began}`, hourlyLimit, msPerHour)
        if (!admitted) yield* new RateLimited({ limit: hourlyLimit, resetAt: EpochMillis((began + 1) * msPerHour) })
      })

      const read = traced("CalendarFeed.read")(function* (token: string) {
        const account = yield* Effect.catchTag(accounts.byFeedToken(token), "Unauthorized", () => Effect.fail(noFeed))
        yield* chargeAnswerTo(account.id)
        const now = yield* currentTime
        yield* count(account.id, now)
        const shown = yield* futureThenOverdue(reminders, account.id, now, feedLimit)
        const entries: Array<CalendarEntry> = []
        const holders = new Map<string, List>()
        for (const some of chunksOf(shown, chunkSize)) {
          const held = yield* things.getMany(
            account.id,
            some.map((reminder) => reminder.thingId)
          )
          const byId = new Map(held.map((thing) => [thing.id, thing]))
          const others = new Set(held.map(({ listId }) => listId).filter((id) => !holders.has(id)))
          if (others.size > 0)
            for (const list of yield* lists.getMany(account.id, [...others])) holders.set(list.id, list)
          yield* forEachYielding(some, (reminder) => {
            const thing = byId.get(reminder.thingId)
            const list = holders.get(thing?.listId ?? "")
            if (thing !== undefined && list !== undefined)
              entries.push(...calendarEntries(reminder, thing, account.timezone, list.updated))
          })
        }
        return {
          zone: account.timezone,
          entries: yield* sortYielding(entries, (a, b) => a.start - b.start || (a.uid < b.uid ? -1 : 1))
        }
      })

      return CalendarFeed.of({ read })
    })
  )
}

const noFeed = new NotFound({ message: "There is no calendar feed at this address." })
