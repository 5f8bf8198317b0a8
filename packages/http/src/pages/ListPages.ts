import { Effect, Layer } from "effect"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { List } from "@lists-and-things/domain/model/List"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { ofPieces } from "../edge/AnswerChunks.ts"
import { compressed } from "./Compressed.ts"
import { idInPath } from "./FormActions.ts"
import { html } from "./Html.ts"
import { listSettings } from "./ListEdit.ts"
import {
  addForm,
  emptyHtml,
  listCards,
  listPath,
  listTitle,
  lookIn,
  lookOf,
  newListForms,
  openAmong,
  pageLinks,
  progressHtml,
  starButton,
  tickableThings,
  viewOptionsIn
} from "./ListHtml.ts"
import { newFormId } from "./IdempotentForms.ts"
import { page, redirect } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { nestingHtml } from "./ThingHtml.ts"
import { originHtml } from "./FormFields.ts"
import { pageIn, queryOf, viewPathOf } from "./PageAddress.ts"

/** The page of all lists, and the page of each. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { get, noticeOf } = yield* makePageRoutes
    const lists = yield* Lists

    /** Empty if the storage fails: the page is shown without the numbers. */
    const openCounts = (of: ReadonlyArray<List>) =>
      Effect.catchTag(lists.openCounts(of), "StorageUnavailable", () => Effect.succeed(new Map()))

    yield* get("/lists", (current, request) =>
      Effect.gen(function* () {
        const at = pageIn(queryOf(request))
        const [found, starred, notice, now] = yield* Effect.all(
          [lists.page(at, "ordinary"), lists.page(0, "favorited"), noticeOf(current, request), currentTime],
          { concurrency: "unbounded" }
        )
        const today = todayIn(current.account.timezone, now)
        const origin = { csrf: current.session.csrf, back: viewPathOf(request), form: yield* newFormId }
        // Starred lists beyond the first page of them are among the others.
        const above = new Set(starred.items.map(({ id }) => id))
        const others = found.items.filter(({ id }) => !above.has(id))
        const open = yield* openCounts(at > 0 ? others : [...starred.items, ...others])
        const none =
          at === 0 && starred.items.length === 0
            ? "You have no lists yet."
            : found.hasMore
              ? "They are on the next page."
              : "There are no others."
        const main = html`${notice}
          <h1>Lists</h1>
          ${at > 0 ? "" : newListForms(origin)}
          ${at > 0 || starred.items.length === 0 ? "" : html`<h2>Starred</h2>${listCards(starred.items, today, origin, open)}<h2>All others</h2>`}
          ${others.length === 0 ? emptyHtml(none) : listCards(others, today, origin, open)}
          ${pageLinks("/lists?", at, found.hasMore, "your lists")}
          <p><a href="/lists/days">Days</a> · <a href="/lists/archived">Archived lists</a></p>`
        return yield* compressed(request, page("Lists", main, { signedInAs: current.account.email, section: "lists" }))
      })
    )

    /** A page of lists that the page of all lists only links to. */
    const getOthers = (only: "archived" | "days", title: string, none: string) =>
      get(`/lists/${only}`, (current, request) =>
        Effect.gen(function* () {
          const at = pageIn(queryOf(request))
          const found = yield* lists.page(at, only)
          const open = yield* openCounts(found.items)
          const today = todayIn(current.account.timezone, yield* currentTime)
          const origin = { csrf: current.session.csrf, back: viewPathOf(request) }
          const main = html`<p class="eyebrow"><a href="/lists">Lists</a></p>
            <h1>${title}</h1>
            ${found.items.length === 0 ? emptyHtml(none) : listCards(found.items, today, origin, open)}
            ${pageLinks(`/lists/${only}?`, at, found.hasMore, title.toLowerCase())}`
          return page(title, main, { signedInAs: current.account.email, section: "lists" })
        })
      )

    yield* getOthers("archived", "Archived lists", "No list is archived.")
    yield* getOthers("days", "Days", "No day has anything on it.")

    yield* get("/lists/:id", (current, request) =>
      Effect.gen(function* () {
        const [view, notice, now] = yield* Effect.all(
          [Effect.flatMap(idInPath, lists.view), noticeOf(current, request), currentTime],
          { concurrency: "unbounded" }
        )
        const { list, reminders, things } = view
        const { timezone } = current.account
        if (list.day !== null) return redirect(listPath(list) + request.url.slice(request.url.split("?", 1)[0]!.length))
        const title = listTitle(list, todayIn(timezone, now))
        const origin = { csrf: current.session.csrf, back: viewPathOf(request), form: yield* newFormId }
        const options = viewOptionsIn(request)
        const look = yield* runSteps(() => lookIn(things, options, lookOf(timezone, now)))
        const rows = options.openOnly ? openAmong(things) : things
        const body =
          rows.length === 0
            ? emptyHtml(things.length === 0 ? "This list is empty." : "Everything here is done.")
            : yield* runSteps(() => tickableThings(rows, reminders, look, origin))
        const main = html`${notice}
          <div class="title">
            <h1>${title}</h1>
            <form method="post" action="/lists/star">${originHtml(origin)}${starButton(list)}</form>
          </div>
          ${list.archived ? html`<p class="soft">This list is archived.</p>` : ""} ${progressHtml(things, options)}
          ${options.nests ? nestingHtml(options.otherWay) : addForm(`/lists/${list.id}`, origin)} ${body} ${listSettings(list, origin, options)}`
        return yield* compressed(request, page(title, main, { signedInAs: current.account.email, section: "lists" }))
      })
    )

    yield* get("/lists/:id/markdown", (_, request) =>
      Effect.gen(function* () {
        const { pieces } = yield* Effect.flatMap(idInPath, lists.markdown)
        const answer = ofPieces(pieces, {
          contentType: "text/markdown; charset=utf-8",
          headers: { "content-disposition": 'attachment; filename="list.md"' }
        })
        return yield* compressed(request, answer)
      })
    )
  })
)
