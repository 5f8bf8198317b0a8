import { Clock, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CalendarFeed } from "@lists-and-things/domain/reminders/CalendarFeed"
import { reminderCalendar } from "../calendar/ReminderCalendar.ts"
import { respondTo } from "../edge/ErrorResponses.ts"

/** `GET /reminders.ics?token=…`: the address that the account's owner gives to a calendar program. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const feed = yield* CalendarFeed
      const read = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const token = new URL(request.url, siteUrl).searchParams.get("token") ?? ""
        return yield* Effect.matchEffect(feed.read(token), {
          onFailure: respondTo,
          onSuccess: (calendar) =>
            Effect.map(Clock.currentTimeMillis, (now) =>
              HttpServerResponse.text(reminderCalendar(calendar, siteUrl, now), {
                contentType: "text/calendar; charset=utf-8",
                headers: { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" }
              })
            )
        })
      })
      yield* router.add("GET", "/reminders.ics", read)
    })
  )
