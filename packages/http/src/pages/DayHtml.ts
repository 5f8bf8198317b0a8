import { addDays } from "@lists-and-things/domain/days/Zone"
import type { ListView } from "@lists-and-things/domain/lists/Lists"
import type { Account } from "@lists-and-things/domain/model/Account"
import { type EpochMillis, msPerDay } from "@lists-and-things/domain/model/EpochMillis"
import {
  atOccurrence,
  type ReminderComingAgain,
  type ReminderView
} from "@lists-and-things/domain/reminders/ReminderView"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { counted } from "@lists-and-things/domain/text/Wording"
import { leftOpen } from "@lists-and-things/domain/things/Nesting"
import { zoneOffer } from "./AccountHtml.ts"
import { type Html, html } from "./Html.ts"
import { icon } from "./Icons.ts"
import { listSettings } from "./ListEdit.ts"
import {
  addForm,
  emptyHtml,
  lookIn,
  lookOf,
  openAmong,
  progressHtml,
  tickableThings,
  type ViewOptions
} from "./ListHtml.ts"
import { type Look, nestingHtml, thingsHtml } from "./ThingHtml.ts"
import { dayName, dayTitle } from "./Times.ts"
import { onceHtml, type OnceOrigin } from "./FormFields.ts"

export interface DayShown {
  readonly account: Account
  readonly now: EpochMillis
  /** Dates in the owner's zone, `YYYY-MM-DD`. */
  readonly today: string
  readonly date: string
  /** The list of the date; undefined if there is none. */
  readonly view: ListView | undefined
  /** If the date is today, the list of yesterday, if any. */
  readonly before: ListView | undefined
  /** Reminders of the day, those that come again on it, and overdue ones, of things in other lists. */
  readonly due: ReadonlyArray<ReminderView>
  readonly again: ReadonlyArray<ReminderComingAgain>
  readonly overdue: ReadonlyArray<ReminderView>
  /** Links to those lists, by id. */
  readonly lists: ReadonlyMap<string, Html>
  readonly origin: OnceOrigin
  readonly options: ViewOptions
}

/** A day: what is planned on it, and what in other lists is due. Yields once per thing. */
export function* dayMain(day: DayShown): Steps<Html> {
  const { account, again, before, date, due, lists, now, options, origin, overdue, today, view } = day
  const zone = account.timezone
  const look = lookOf(zone, now)
  const planned = view?.things ?? []
  const own = options.openOnly ? openAmong(planned) : planned
  const none = planned.length > 0 ? "Everything here is done." : nothingPlanned(date === today)
  const ownLook = yield* lookIn(planned, options, look)
  const rows =
    view === undefined || own.length === 0
      ? emptyHtml(none)
      : yield* tickableThings(own, view.reminders, ownLook, origin)
  const elsewhere = { ...look, lists }
  const title = dayTitle(date, today)
  const yesterday = addDays(today, -1)
  const ofYesterday = html` from <a href="/days/${yesterday}">yesterday</a>`
  return html`${zoneOffer(origin.csrf, zone, "/today")}
    <p class="eyebrow">${dayName(date, today) === title ? "" : wordFor(date, today)}</p>
    <h1>${title}</h1>
    ${dayLinks(date, today)} ${leftOver(yesterday, before, ofYesterday, origin)} ${date < today ? leftOver(date, view, html``, origin) : ""}
    ${own.length === 0 ? "" : dueBelow(due.length + again.length + overdue.length)} ${progressHtml(planned, options)} ${options.nests ? nestingHtml(options.otherWay) : addForm(`/days/${date}`, origin, date === today ? "today" : undefined)} ${rows}
    <div id="${dueId}">
      ${yield* section("Due on this day, from other lists", due, elsewhere, origin)}
      ${yield* againSection(again, elsewhere)}
      ${yield* section("Overdue", overdue, elsewhere, origin)}
    </div>
    ${view === undefined ? "" : listSettings(view.list, origin, options)}`
}

/** Things of other lists under a heading; nothing where there are none. */
function* section(title: string, views: ReadonlyArray<ReminderView>, look: Look, origin: OnceOrigin): Steps<Html> {
  if (views.length === 0) return html``
  const things = views.map(({ thing }) => ({ ...thing, tabs: 0 }))
  return html`<h2>${title}</h2>${yield* tickableThings(things, views, look, origin)}`
}

/** Without boxes: a tick would complete the current occurrence, which is earlier. */
function* againSection(views: ReadonlyArray<ReminderComingAgain>, look: Look): Steps<Html> {
  if (views.length === 0) return html``
  const things = views.map(({ thing }) => ({ ...thing, tabs: 0 }))
  const shown = new Map(views.map((view) => [view.thing.id as string, atOccurrence(view)]))
  const rows = yield* thingsHtml(things, shown, { ...look, hasBoxes: false })
  return html`<h2>Repeats on this day, from other lists</h2>
    <div class="list">${rows}</div>`
}

const nothingPlanned = (isToday: boolean): string =>
  isToday ? "Nothing is planned for today." : "Nothing is planned for this day."

/** The form that moves a day's open things to today; empty if there are none. `from` says which day it was. */
const leftOver = (date: string, view: ListView | undefined, from: Html, origin: OnceOrigin): Html => {
  const { length } = leftOpen(view?.things ?? [])
  return length === 0
    ? html``
    : html`<form class="left-over" method="post" action="/days/${date}/move">
        ${onceHtml(origin)}
        <span>${counted(length, "thing")}${from} ${length === 1 ? "is" : "are"} still open.</span>
        <button class="quiet">Move to today</button>
      </form>`
}

/** The anchor of the section with the things of other lists. */
const dueId = "due"

/**
 * The line above a day's things that says how many things in other lists are due, which stand below; empty if none is.
 */
const dueBelow = (count: number): Html =>
  count === 0
    ? html``
    : html`<p class="left-over"><a href="#${dueId}">${counted(count, "thing")} in other lists ${count === 1 ? "is" : "are"} due</a></p>`

const isNear = (date: string, today: string): boolean => Math.abs(Date.parse(date) - Date.parse(today)) <= msPerDay

/** `Today`, `Tomorrow` or `Yesterday`; empty for other days. */
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
