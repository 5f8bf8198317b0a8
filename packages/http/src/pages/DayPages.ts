import { Effect, Layer } from "effect"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import { isDayWord, parseDay, todayIn } from "@lists-and-things/domain/days/Day"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { AppendMarkdownInput } from "@lists-and-things/domain/json/ThingInput"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { NotFound } from "@lists-and-things/domain/model/Errors"
import { currentTime, msPerDay } from "@lists-and-things/domain/model/EpochMillis"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { zoneOffer } from "./AccountPage.ts"
import { compressed } from "./Compressed.ts"
import { idInPath, inForm, textIn, withDone } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { icon } from "./Icons.ts"
import { addForm, emptyHtml, listLinks, listSettings, lookOf, progressHtml, tickableThings } from "./ListHtml.ts"
import { pathOf, queryOf } from "./Notices.ts"
import { page, redirect } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { dayName, dayTitle } from "./Times.ts"

/** A day of the account with the days before and after, and what is due on it elsewhere. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get, noticeOf } = yield* makePageRoutes
    const lists = yield* Lists
    const reminders = yield* Reminders
    const target = yield* ThingTarget
    const bulk = yield* BulkThings

    /** The list of a date if there is one: looking at a day makes none. */
    const listOf = (date: string) =>
      lists.byName(date).pipe(
        Effect.flatMap((list) => (list.day === date ? lists.view(list.id) : Effect.succeed(undefined))),
        Effect.catchTag(["NotFound", "Ambiguous"], () => Effect.succeed(undefined))
      )

    const show =
      (date: Effect.Effect<string, NotFound, HttpRouter.RouteContext>) =>
      (current: SignedIn, request: HttpServerRequest.HttpServerRequest) =>
        Effect.gen(function* () {
          const { account, session } = current
          const zone = account.timezone
          const now = yield* currentTime
          const today = todayIn(zone, now)
          const wanted = parseDay(yield* date, zone, now)
          if (wanted === undefined) return yield* noSuchDay
          const [view, elsewhere, notice] = yield* Effect.all(
            [listOf(wanted), reminders.onDay(wanted), noticeOf(current, request)],
            { concurrency: "unbounded" }
          )
          const origin = { csrf: session.csrf, back: pathOf(request) }
          const look = lookOf(zone, now)
          const shown = new Set(view?.things.map(({ id }) => id))
          const beside = (views: ReadonlyArray<ReminderView>) => views.filter(({ thing }) => !shown.has(thing.id))
          const section = Effect.fnUntraced(function* (title: string, views: ReadonlyArray<ReminderView>) {
            if (views.length === 0) return html``
            const things = views.map(({ thing }) => ({ ...thing, tabs: 0 }))
            const lists = listLinks(yield* target.listsOf(things), today)
            const rows = yield* runSteps(() => tickableThings(things, views, { ...look, lists }, origin))
            return html`<h2>${title}</h2>${rows}`
          })
          const own =
            view === undefined || view.things.length === 0
              ? emptyHtml(wanted === today ? "Nothing is planned for today." : "Nothing is planned for this day.")
              : yield* runSteps(() => tickableThings(view.things, view.reminders, look, origin))
          const title = dayTitle(wanted, today)
          const main = html`${notice} ${zoneOffer(session.csrf, zone, "/today")}
            <p class="eyebrow">${dayName(wanted, today) === title ? "" : wordFor(wanted, today)}</p>
            <h1>${title}</h1>
            ${dayLinks(wanted, today)} ${progressHtml(view?.things ?? [])} ${addForm(`/days/${wanted}`, origin)} ${own}
            ${yield* section("Due on this day, from other lists", beside(elsewhere.due))}
            ${yield* section("Overdue", beside(elsewhere.overdue))}
            ${view === undefined ? "" : listSettings(view.list, origin)}`
          const answer = page(wanted === today ? "Today" : title, main, { signedInAs: account.email, section: "today" })
          return yield* compressed(request, answer)
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
      ({ fields, id }, call) =>
        Effect.gen(function* () {
          if (!isDayWord(id)) return yield* noSuchDay
          const given = { markdown: textIn(fields, "markdown"), list: id }
          yield* bulk.appendTyped(yield* decodeInput(AppendMarkdownInput, inForm)(given))
          const back = fields.get("back") === "/today" ? "/today" : `/days/${encodeURIComponent(id)}`
          return withDone(back, call, "add")
        })
    )
  })
)

const noSuchDay = Effect.fail(new NotFound({ message: "A day is a date such as 2026-11-22." }))

/** `Today`, `Tomorrow` or `Yesterday`; nothing for other days. */
const wordFor = (date: string, today: string): string =>
  Math.abs(Date.parse(date) - Date.parse(today)) <= msPerDay ? dayName(date, today) : ""

const dayLinks = (date: string, today: string): Html => {
  const to = (other: string, rel: string, text: (name: string) => Html): Html =>
    other === date ? html`` : html`<a href="/days/${other}" rel="${rel}">${text(dayName(other, today))}</a>`
  return html`<nav class="days" aria-label="Days">
    ${to(addDays(date, -1), "prev", (name) => html`${icon("earlier")}${name}`)}
    ${date === today ? "" : html`<a href="/today">Today</a>`}
    ${to(addDays(date, 1), "next", (name) => html`${name}${icon("later")}`)}
    <form action="/days">
      <label class="spoken" for="date">Another day</label><input id="date" name="date" type="date" value="${date}" required /><button class="quiet">Go</button>
    </form>
  </nav>`
}
