import { Context, Effect, Layer } from "effect"
import type { Stored } from "../ports/Storage.ts"
import type { PollResult } from "./AnnouncementTurns.ts"
import { makeOperationAnnouncements } from "./OperationAnnouncements.ts"
import { makeReminderAnnouncements } from "./ReminderAnnouncements.ts"

/**
 * Turns operations and the moments of reminders into deliveries (docs/decisions.md#webhooks). Several programs may do
 * so at a time: each step has its effect once, with the step that it began from.
 */
export class Announcements extends Context.Service<
  Announcements,
  {
    /**
     * Announces operations that were committed since the last time, and keeps the moments of the reminders that they
     * changed. Looks at every account that is followed.
     */
    readonly operations: Stored<PollResult>
    /** Announces all reminders that are due. */
    readonly reminders: Stored<PollResult>
  }
>()("@lists-and-things/domain/webhooks/Announcements") {
  static readonly layer = Layer.effect(
    Announcements,
    Effect.gen(function* () {
      const operations = yield* makeOperationAnnouncements
      const reminders = yield* makeReminderAnnouncements
      return Announcements.of({ operations, reminders })
    })
  )
}
