import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { feedPath } from "@lists-and-things/domain/caller/Accounts"
import { CalendarFeed } from "@lists-and-things/domain/reminders/CalendarFeed"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { reminderCalendar } from "../calendar/ReminderCalendar.ts"
import { notModifiedIfCurrent } from "../edge/EntityTagHeaders.ts"
import { respondTo } from "../edge/ErrorResponses.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

/** `GET /reminders.ics?token=…`: the feed URL that the account's owner gives to a calendar program. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const feed = yield* CalendarFeed
      const read = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const token = new URL(request.url, siteUrl).searchParams.get("token") ?? ""
        const calendar = Effect.gen(function* () {
          const found = yield* feed.read(token)
          const now = yield* currentTime
          return yield* runSteps(() => reminderCalendar(found, siteUrl, now))
        })
        return yield* Effect.matchEffect(calendar, {
          onFailure: respondTo,
          onSuccess: ({ tag, text }) =>
            Effect.succeed(
              notModifiedIfCurrent(
                request.headers,
                HttpServerResponse.text(text, {
                  contentType: "text/calendar; charset=utf-8",
                  headers: { "cache-control": "private, no-cache", etag: tag }
                })
              )
            )
        })
      })
      yield* router.add("GET", feedPath, read)
    })
  )
