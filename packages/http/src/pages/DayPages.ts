import { Effect, Layer } from "effect"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import { isDayWord, parseDay, todayIn } from "@lists-and-things/domain/days/Day"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { AppendMarkdownInput } from "@lists-and-things/domain/json/ThingInput"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { NotFound } from "@lists-and-things/domain/model/Errors"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Nesting } from "@lists-and-things/domain/things/Nesting"
import { compressed } from "./Compressed.ts"
import { dayMain } from "./DayHtml.ts"
import { backIn, idInPath, inForm, textIn, withOperation } from "./FormActions.ts"
import { html } from "./Html.ts"
import { listLinks, viewOptionsIn } from "./ListHtml.ts"
import { makeReportFirstCopy, makeRunOnce, newFormId } from "./IdempotentForms.ts"
import { page, redirect } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { dayTitle } from "./Times.ts"
import { queryOf, viewPathOf } from "./PageAddress.ts"

/** The page of a day, with links to the days around it, and what in other lists is due on it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get, noticeOf } = yield* makePageRoutes
    const lists = yield* Lists
    const reminders = yield* Reminders
    const target = yield* ThingTarget
    const bulk = yield* BulkThings
    const nesting = yield* Nesting
    const runOnce = yield* makeRunOnce
    const reportFirstCopy = yield* makeReportFirstCopy

    /** The list of a date, if there is one: viewing a day creates none. */
    const listOf = (date: string) =>
      lists.madeDay(date).pipe(
        Effect.map((made) => (made.date === date ? made.view : undefined)),
        Effect.catchTag("InvalidInput", () => Effect.succeed(undefined))
      )

    const linksTo = Effect.fnUntraced(function* (views: ReadonlyArray<ReminderView>, today: string) {
      if (views.length === 0) return new Map()
      return listLinks(yield* target.listsOf(views.map(({ thing }) => thing)), today)
    })

    const show =
      (named: Effect.Effect<string, NotFound, HttpRouter.RouteContext>) =>
      (current: SignedIn, request: HttpServerRequest.HttpServerRequest) =>
        Effect.gen(function* () {
          const { account, session } = current
          const now = yield* currentTime
          const today = todayIn(account.timezone, now)
          const date = parseDay(yield* named, account.timezone, now)
          if (date === undefined) return yield* noSuchDay
          const [view, found, notice, before] = yield* Effect.all(
            [
              listOf(date),
              reminders.onDay(date),
              noticeOf(current, request),
              date === today ? listOf(addDays(today, -1)) : Effect.succeed(undefined)
            ],
            { concurrency: "unbounded" }
          )
          const own = new Set(view?.things.map(({ id }) => id))
          const isElsewhere = ({ thing }: ReminderView) => !own.has(thing.id)
          const [due, overdue] = [found.due.filter(isElsewhere), found.overdue.filter(isElsewhere)]
          const again = found.again.filter(isElsewhere)
          const links = yield* linksTo([...due, ...again, ...overdue], today)
          const origin = { csrf: session.csrf, back: viewPathOf(request), form: yield* newFormId }
          const options = viewOptionsIn(request)
          const shown = { account, now, today, date, view, before, due, again, overdue, lists: links, origin, options }
          const main = yield* runSteps(() => dayMain(shown))
          const title = date === today ? "Today" : dayTitle(date, today)
          return yield* compressed(
            request,
            page(title, html`${notice} ${main}`, { signedInAs: account.email, section: "today" })
          )
        })

    yield* get("/days", (_, request) =>
      Effect.succeed(redirect(`/days/${encodeURIComponent(queryOf(request).get("date") || "today")}`))
    )

    yield* get("/today", show(Effect.succeed("today")))
    yield* get("/days/:id", show(idInPath))

    yield* action(
      "/days/:id/add",
      "appendMarkdown",
      (id) => `/days/${id}`,
      ({ current, fields, id }, call) =>
        Effect.gen(function* () {
          if (!isDayWord(id)) return yield* noSuchDay
          const given = { markdown: textIn(fields, "markdown"), list: id }
          const input = yield* decodeInput(AppendMarkdownInput, inForm)(given)
          yield* runOnce(fields, "appendMarkdown", Effect.as(bulk.appendTyped(input), "added"))
          const today = todayIn(current.account.timezone, yield* currentTime)
          const page = `/days/${encodeURIComponent(id)}`
          const back = backIn(fields, page)
          // The page of today is that of another day by now.
          return withOperation(id < today && back.startsWith("/today") ? page : back, call, "add")
        })
    )

    yield* action(
      "/days/:id/move",
      "updateThings",
      (id) => `/days/${id}`,
      ({ fields, id }, call) =>
        Effect.gen(function* () {
          const view = yield* listOf(id)
          if (view !== undefined) {
            yield* nesting.moveLeftOpen(view.list.id, { list: "today" })
            yield* reportFirstCopy({ listId: view.list.id }, call, fields)
          }
          return withOperation(backIn(fields, "/today"), call)
        })
    )
  })
)

const noSuchDay = Effect.fail(new NotFound({ message: "A day is a date such as 2026-11-22." }))
