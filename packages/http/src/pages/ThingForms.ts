import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { deeperThan, type TreeNode } from "@lists-and-things/domain/lists/Outline"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import type { Account } from "@lists-and-things/domain/model/Account"
import { caps } from "@lists-and-things/domain/model/Caps"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { List } from "@lists-and-things/domain/model/List"
import { isRepeating } from "@lists-and-things/domain/model/Reminder"
import { isOpen, type Thing } from "@lists-and-things/domain/model/Thing"
import { summarizeInZone } from "@lists-and-things/domain/recurrence/ReminderSummary"
import { isOver, type ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { counted } from "@lists-and-things/domain/text/Wording"
import { plainName } from "@lists-and-things/domain/summaries/PlainSummary"
import { type Html, html } from "./Html.ts"
import { icon } from "./Icons.ts"
import { listPath, listTitle } from "./ListHtml.ts"
import { described, type FieldProblem, onceHtml, type OnceOrigin, originHtml, wrongHtml } from "./FormFields.ts"
import { type RefusedReminder, reminderField, reminderForm } from "./ReminderForm.ts"
import { type EditField, editForm } from "./ThingEdit.ts"
import { thingSteps } from "./ThingHtml.ts"
import { clockChangeHtml, dayName, occurrenceHtml } from "./Times.ts"
import { historyPath } from "./HistoryLinks.ts"

export interface ThingShown {
  readonly account: Account
  readonly now: EpochMillis
  readonly origin: OnceOrigin
  readonly thing: Thing
  readonly reminder: ReminderView | null
  /** The next times of its reminder. */
  readonly next: ReadonlyArray<EpochMillis>
  /** The list it is in. */
  readonly list: List
  /** Its place in the nesting of that list. */
  readonly node: TreeNode | undefined
  /** The thing that takes its place once it is deleted, or else the one before it. */
  readonly beside: Thing | undefined
  /** How many things are nested under it. */
  readonly under: number
  /** Lists to move it to. */
  readonly others: ReadonlyArray<List>
  /** Why a change was refused, with what was typed. */
  readonly refused?: {
    readonly problem: string
    /** The field that the problem is about, by its name in a request: `url`, `photos[1]`. */
    readonly field?: string
    readonly typed: URLSearchParams
    /** The status of the answer; 400 by default. */
    readonly status?: number
    /** Fields of the edit that were changed elsewhere as well. */
    readonly stale?: ReadonlyArray<EditField>
    /** Whether the reminder was changed elsewhere as well, if its form was refused. */
    readonly isStaleReminder?: boolean
  }
}

const stateForm = ({ origin, reminder, thing }: ThingShown): Html => {
  const trigger = reminder?.reminder.trigger
  const occurrence =
    trigger !== undefined && isRepeating(trigger)
      ? html`<input type="hidden" name="occurrence" value="${formatTime(trigger.at)}" />`
      : ""
  const buttons = isOpen(thing)
    ? html`<button name="state" value="completed">Complete</button><button class="quiet" name="state" value="canceled">Cancel it</button>`
    : html`<button name="state" value="open">Reopen</button>`
  return html`<form method="post" action="/things/${thing.id}/state">
    ${onceHtml(origin)}${occurrence}
    <p class="buttons">${buttons}<button class="quiet" name="state" value="${thing.favorited ? "unstarred" : "starred"}">${thing.favorited ? "Remove the star" : "Star"}</button></p>
  </form>`
}

/** What was typed into the form of the reminder, if that was refused. */
const refusedReminder = ({ refused }: ThingShown): RefusedReminder | undefined => {
  if (refused?.typed.has("repeat") !== true) return undefined
  const { field, isStaleReminder = false, problem, typed } = refused
  return {
    typed,
    isStale: isStaleReminder,
    ...(field !== undefined && { problem: { field: reminderField(field), text: problem } })
  }
}

/** What is wrong with where a thing was to move, beside the field that says it. */
const moveProblem = ({ refused }: ThingShown): FieldProblem | undefined => {
  if (refused?.typed.has("list") !== true) return undefined
  return { field: refused.typed.get("other_day") ? "other_day" : "list", text: refused.problem }
}

/** What the list of a repeating reminder's times begins with. The first of them may be over, and so may later ones. */
const timesIntro = (count: number, isFirstOver: boolean): string => {
  if (count === 1) return "The last time:"
  return isFirstOver ? "This time and those after it:" : `The next ${count} times:`
}

const reminderPart = (shown: ThingShown): Html => {
  const { account, next, now, origin, reminder, thing } = shown
  const zone = account.timezone
  const path = `/things/${thing.id}/reminder`
  const refused = refusedReminder(shown)
  const stored = { account, today: todayIn(zone, now), reminder: reminder?.reminder }
  const form = reminderForm(path, onceHtml(origin), stored, refused)
  const open = refused === undefined ? "" : html` open`
  if (reminder === null)
    return html`<h2 id="reminder">Reminder</h2>
      <details class="card"${open}><summary>Set a reminder</summary>${form}</details>`
  const { place } = reminder
  const { trigger } = reminder.reminder
  const over = isOver(trigger, zone, now)
  return html`<h2 id="reminder">Reminder</h2>
    <div class="card">
      <p class="when">${icon("bell")}<strong>${summarizeInZone(trigger, zone, place)}</strong></p>
      ${isOpen(thing) && over ? html`<p class="late">This time has passed.</p>` : ""}
      ${
        trigger._tag === "Place" || next.length === 0
          ? ""
          : html`${isRepeating(trigger) ? html`<p class="soft">${timesIntro(next.length, over)}</p>` : ""}
              <ul class="dates">${next.map((at) => html`<li>${occurrenceHtml(at, trigger, zone, now)}${clockChangeHtml(at, trigger, zone)}</li>`)}</ul>`
      }
      <details${open}><summary>Change</summary>${form}</details>
      <form method="post" action="${path}/remove">${onceHtml(origin)}<button class="quiet">Remove the reminder</button></form>
    </div>`
}

/** Buttons that nest a thing one level deeper or less deep; empty for one that stands alone. */
const nestForm = ({ node, origin, thing }: ThingShown): Html => {
  if (node === undefined || (node.parent === undefined && node.before === undefined)) return html``
  const { before, parent } = node
  const button = (name: string, words: string): Html =>
    html`<button class="quiet" name="${name}" value="${thing.id}">${words}</button>`
  return html`<form method="post" action="/things/nest">
      ${onceHtml(origin)}
      <p class="buttons">${deeperThan(node) === undefined ? "" : button("deeper", `Nest under ${plainName(before!)}`)}${parent === undefined ? "" : button("shallower", `Take out of ${plainName(parent)}`)}</p>
    </form>`
}

/**
 * Two forms, since Enter in a field presses the first button of its form. On a page that was loaded yesterday, "Today"
 * still means the current day.
 */
const movePart = (shown: ThingShown): Html => {
  const { account, now, origin, others, refused, thing, under } = shown
  const button = (day: string, words: string): Html =>
    html`<button class="quiet" name="day" value="${day}">${words}</button>`
  const typed = (name: "list" | "other_day") => refused?.typed.get(name) ?? ""
  const problem = moveProblem(shown)
  const today = todayIn(account.timezone, now)
  const inAWeek = addDays(today, 7)
  return html`<h2 id="move">Move</h2>
    <div class="card">
      ${under === 0 ? "" : html`<p class="soft">${counted(under, "thing")} nested under it ${under === 1 ? "moves" : "move"} with it.</p>`}
      ${nestForm(shown)}
      <form method="post" action="/things/${thing.id}/move">
        ${onceHtml(origin)}
        <p class="buttons" role="group" aria-label="To a day">${button("today", "Today")}${button("tomorrow", "Tomorrow")}${button(inAWeek, dayName(inAWeek, today))}</p>
      </form>
      <form method="post" action="/things/${thing.id}/move">
        ${onceHtml(origin)}
        <div class="pair">
          <p class="field"><label for="list">To a list, by its title</label><input id="list" name="list" list="lists" maxlength="${caps.title}" autocomplete="off" value="${typed("list")}"${described("list", problem)} />${wrongHtml("list", problem)}</p>
          <p class="field"><label for="other-day">Or to a day</label><input id="other-day" name="other_day" type="date" value="${typed("other_day")}"${described("other_day", problem)} />${wrongHtml("other_day", problem)}</p>
        </div>
        <datalist id="lists">${others.map((list) => html`<option value="${list.title}"></option>`)}</datalist>
        <button>Move</button>
      </form>
    </div>`
}

/** Whether a thing shows something that its title does not. */
const isMoreThan = (title: string, { canceled, code, completed, listRef, photos, text, url }: Thing): boolean =>
  title !== text || url !== "" || listRef !== null || photos.length > 0 || code || completed || canceled

/** One thing with everything that can be done to it. */
export function* thingMain(shown: ThingShown): Steps<Html> {
  const { account, beside, list, now, origin, refused, thing, under } = shown
  const today = todayIn(account.timezone, now)
  const title = thingTitle(thing)
  const field = refused?.field?.split("[", 1)[0]
  const problem = field === undefined || !refused!.typed.has("text") ? undefined : { field, text: refused!.problem }
  return html`${refused === undefined ? "" : html`<p class="problem" role="alert">${refused.problem}</p>`}
    <p class="eyebrow"><a href="${listPath(list)}#t-${thing.id}">${listTitle(list, today)}</a></p>
    <h1>${title === "" ? "A thing" : title}</h1>
    ${isMoreThan(title, thing) ? html`<div class="card">${yield* thingSteps(thing, { reminder: undefined })}</div>` : ""}
    ${stateForm(shown)} ${editForm(problem === undefined ? shown : { ...shown, problem })} ${reminderPart(shown)} ${movePart(shown)}
    <form method="post" action="/things/${thing.id}/delete">
      ${originHtml({ ...origin, back: listPath(list) })}${beside === undefined ? "" : html`<input type="hidden" name="beside" value="${beside.id}" />`}<button class="danger">${under === 0 ? "Delete" : `Delete, with ${counted(under, "thing")} under it`}</button>
    </form>
    <p class="soft"><a href="${historyPath({ thingId: thing.id })}">History</a></p>`
}
