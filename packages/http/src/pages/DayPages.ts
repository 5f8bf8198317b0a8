import { Effect, Layer } from "effect"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import { isDayWord, parseDay, todayIn } from "@lists-and-things/domain/days/Day"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { AppendMarkdownInput } from "@lists-and-things/domain/json/ThingInput"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { NotFound } from "@lists-and-things/domain/model/Errors"
import { counted } from "@lists-and-things/domain/text/Wording"
import { currentTime, msPerDay } from "@lists-and-things/domain/model/EpochMillis"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { leftOpen, Nesting } from "@lists-and-things/domain/things/Nesting"
import { zoneOffer } from "./AccountHtml.ts"
import { compressed } from "./Compressed.ts"
import { backIn, idInPath, inForm, textIn, withDone } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { icon } from "./Icons.ts"
import { listSettings } from "./ListEdit.ts"
import {
  addForm,
  emptyHtml,
  listLinks,
  lookIn,
  lookOf,
  openAmong,
  type Origin,
  originHtml,
  progressHtml,
  shownIn,
  tickableThings
} from "./ListHtml.ts"
import { pathOf, queryOf } from "./Notices.ts"
import { page, redirect } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { nestingHtml } from "./ThingHtml.ts"
import { dayName, dayTitle } from "./Times.ts"

/** A day of the account with the days before and after, and what is due on it elsewhere. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get, noticeOf } = yield* makePageRoutes
    const lists = yield* Lists
    const reminders = yield* Reminders
    const target = yield* ThingTarget
    const bulk = yield* BulkThings
    const nesting = yield* Nesting

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
          const yesterday = addDays(today, -1)
          const [view, elsewhere, notice, before] = yield* Effect.all(
            [
              listOf(wanted),
              reminders.onDay(wanted),
              noticeOf(current, request),
              wanted === today ? listOf(yesterday) : Effect.succeed(undefined)
            ],
            { concurrency: "unbounded" }
          )
          const origin = { csrf: session.csrf, back: pathOf(request) }
          const look = lookOf(zone, now)
          const shown = new Set(view?.things.map(({ id }) => id))
          const beside = (views: ReadonlyArray<ReminderView>) => views.filter(({ thing }) => !shown.has(thing.id))
          const [due, overdue] = [beside(elsewhere.due), beside(elsewhere.overdue)]
          const section = Effect.fnUntraced(function* (title: string, views: ReadonlyArray<ReminderView>) {
            if (views.length === 0) return html``
            const things = views.map(({ thing }) => ({ ...thing, tabs: 0 }))
            const lists = listLinks(yield* target.listsOf(things), today)
            const rows = yield* runSteps(() => tickableThings(things, views, { ...look, lists }, origin))
            return html`<h2>${title}</h2>${rows}`
          })
          const way = shownIn(request)
          const planned = view?.things ?? []
          const ownLook = yield* runSteps(() => lookIn(planned, way, look))
          const own = way.openOnly ? openAmong(planned) : planned
          const none = planned.length > 0 ? "Everything here is done." : nothingPlanned(wanted === today)
          const rows =
            view === undefined || own.length === 0
              ? emptyHtml(none)
              : yield* runSteps(() => tickableThings(own, view.reminders, ownLook, origin))
          const title = dayTitle(wanted, today)
          const ofYesterday = html` of <a href="/days/${yesterday}">yesterday</a>`
          const main = html`${notice} ${zoneOffer(session.csrf, zone, "/today")}
            <p class="eyebrow">${dayName(wanted, today) === title ? "" : wordFor(wanted, today)}</p>
            <h1>${title}</h1>
            ${dayLinks(wanted, today)} ${leftOver(yesterday, before, ofYesterday, origin)} ${wanted < today ? leftOver(wanted, view, html``, origin) : ""}
            ${own.length === 0 ? "" : dueBelow(due.length + overdue.length)} ${progressHtml(planned, way)} ${way.nests ? nestingHtml(way.otherWay) : addForm(`/days/${wanted}`, origin)} ${rows}
            <div id="${dueId}">
              ${yield* section("Due on this day, from other lists", due)}
              ${yield* section("Overdue", overdue)}
            </div>
            ${view === undefined ? "" : listSettings(view.list, origin, way)}`
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
          return withDone(backIn(fields, `/days/${encodeURIComponent(id)}`), call, "add")
        })
    )

    yield* action(
      "/days/:id/move",
      "updateThings",
      (id) => `/days/${id}`,
      ({ fields, id }, call) =>
        Effect.gen(function* () {
          const view = yield* listOf(id)
          if (view !== undefined) yield* nesting.moveLeftOpen(view.list.id, { list: "today" })
          return withDone(backIn(fields, "/today"), call)
        })
    )
  })
)

const nothingPlanned = (isToday: boolean): string =>
  isToday ? "Nothing is planned for today." : "Nothing is planned for this day."

/** The form that moves what a day left open to today; nothing where it left nothing. `from` says whose it is. */
const leftOver = (date: string, view: ListView | undefined, from: Html, origin: Origin): Html => {
  const { length } = leftOpen(view?.things ?? [])
  return length === 0
    ? html``
    : html`<form class="left-over" method="post" action="/days/${date}/move">
        ${originHtml(origin)}
        <span>${counted(length, "thing")}${from} ${length === 1 ? "is" : "are"} still open.</span>
        <button class="quiet">Move to today</button>
      </form>`
}

/** Where the things of other lists begin. */
const dueId = "due"

/** Above the things of a day: how many of other lists are due, which stand below them; nothing where none is. */
const dueBelow = (count: number): Html =>
  count === 0
    ? html``
    : html`<p class="left-over"><a href="#${dueId}">${counted(count, "thing")} of other lists ${count === 1 ? "is" : "are"} due</a></p>`

const noSuchDay = Effect.fail(new NotFound({ message: "A day is a date such as 2026-11-22." }))

const isNear = (date: string, today: string): boolean => Math.abs(Date.parse(date) - Date.parse(today)) <= msPerDay

/** `Today`, `Tomorrow` or `Yesterday`; nothing for other days. */
const wordFor = (date: string, today: string): string => (isNear(date, today) ? dayName(date, today) : "")

const dayLinks = (date: string, today: string): Html => {
  const to = (other: string, rel: string, text: (name: string) => Html): Html =>
    other === date ? html`` : html`<a href="/days/${other}" rel="${rel}">${text(dayName(other, today))}</a>`
  return html`<nav class="days" aria-label="Days">
    ${to(addDays(date, -1), "prev", (name) => html`${icon("earlier")}${name}`)}
    ${isNear(date, today) ? "" : html`<a href="/today">Today</a>`}
    ${to(addDays(date, 1), "next", (name) => html`${name}${icon("later")}`)}
    <form action="/days">
      <label class="spoken" for="date">Another day</label><input id="date" name="date" type="date" value="${date}" required /><button class="quiet">Go</button>
    </form>
  </nav>`
}
