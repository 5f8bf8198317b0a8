import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { localDateOf } from "@lists-and-things/domain/days/Zone"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { canBeUndone, hasEffect, type Operation } from "@lists-and-things/domain/model/Operation"
import { isRepeating } from "@lists-and-things/domain/model/Reminder"
import { isOpen } from "@lists-and-things/domain/model/Thing"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { undoOf } from "@lists-and-things/domain/summaries/OperationSummaries"
import { plainName, plainSummary } from "@lists-and-things/domain/summaries/PlainSummary"
import { Things, type ThingView } from "@lists-and-things/domain/things/Things"
import { type Html, html } from "./Html.ts"
import { hiddenBack, hiddenCsrf } from "./FormFields.ts"
import { entityAt, type HistoryFilter } from "./HistoryLinks.ts"
import { type NoticeName, noticeNames, placeName, queryOf, viewPathOf } from "./PageAddress.ts"

/** A notice in a corner of the page. `gone`: the anchor in the address is beside a thing that was deleted. */
const toast = (text: string, back: string, undo: Html = html``, gone = false): Html =>
  html`<div class="toast${gone ? " gone" : ""}">
    <p role="status">${text}</p>
    ${undo}
    <a href="${back}" aria-label="Close">×</a>
  </div>`

const undoForm = (operation: Operation, csrf: string, back: string): Html =>
  operation.undoneBy !== null || !canBeUndone(operation)
    ? html``
    : html`<form method="post" action="/account/history/${operation.id}/undo">
        ${hiddenCsrf(csrf)}${hiddenBack(back)}${undoButton(operation, "link")}
      </form>`

/** *Undo*, or *Redo* for an operation that is an undo; its accessible name says what it takes back. */
export const undoButton = (operation: Operation, look: string): Html => {
  const { verb, what } = undoOf(operation)
  return html`<button class="${look}" aria-label="${verb}: ${plainSummary(what)}">${verb}</button>`
}

/** Why an occurrence on an outdated page was not completed. */
const missedText = ({ reminder, thing }: ThingView, zone: string): string => {
  const trigger = reminder?.reminder.trigger
  const now = !isOpen(thing)
    ? `was ${thing.completed ? "completed" : "canceled"} already`
    : trigger !== undefined && isRepeating(trigger)
      ? `has moved on to ${localDateOf(zone, trigger.at)}`
      : "no longer repeats"
  return `Nothing was done: this page was out of date, and ${plainName(thing)} ${now}.`
}

const nothingDone: Readonly<
  Record<Exclude<NoticeName, "done" | "unchanged">, (view: ThingView, zone: string) => string>
> = {
  missed: missedText,
  deepest: ({ thing }) =>
    `Nothing was done: nothing comes before ${plainName(thing)} on its level, or what is under it cannot go any deeper.`,
  topmost: ({ thing }) => `Nothing was done: ${plainName(thing)} is at the top level.`
}

/** Where an undo leads; `place` is an anchor of the page `back`, or the path of another. */
const pathAfterUndo = (back: string, place: string | null): string => {
  if (place === null) return back
  return place.startsWith("/") ? place : `${back}#${place}`
}

/**
 * The notice of what a form did before it led to a page, with its undo, or of why it did nothing; empty if the query
 * names neither.
 */
export const makeNotices = Effect.gen(function* () {
  const operations = yield* Operations
  const things = yield* Things

  /**
   * The operation with this id. Of one without effect, as by the second copy of a form that was sent twice, the one of
   * `on` that did the same before.
   */
  const operationOf = Effect.fnUntraced(function* (id: string, on: HistoryFilter | undefined) {
    const operation = yield* operations.get(id)
    if (hasEffect(operation) || on === undefined) return operation
    const earlier = yield* operations.page({ ...on, byId: operation.by.id, before: operation.at })
    const before = earlier.items.find(hasEffect)
    return before?.summary === operation.summary ? before : operation
  })

  return ({ account, session }: SignedIn, request: HttpServerRequest.HttpServerRequest) => {
    const query = queryOf(request)
    const back = viewPathOf(request)
    const name = noticeNames.find((each) => (each === "unchanged" ? query.has(each) : isIdForm(query.get(each) ?? "")))
    if (name === undefined) return Effect.succeed(html``)
    if (name === "unchanged") return Effect.succeed(toast("Nothing was changed.", back))
    const id = query.get(name) ?? ""
    const place = query.get(placeName)
    const notice =
      name === "done"
        ? Effect.map(operationOf(id, entityAt(place, back)), (operation) =>
            toast(
              `${plainSummary(operation.summary)}.`,
              back,
              undoForm(operation, session.csrf, pathAfterUndo(back, place)),
              operation.name === "deleteThings"
            )
          )
        : Effect.map(things.get(id), (view) => toast(nothingDone[name](view, account.timezone), back))
    return Effect.catchTag(notice, "NotFound", () => Effect.succeed(html``))
  }
})
