import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { ImportMarkdownInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { AppendMarkdownInput } from "@lists-and-things/domain/json/ThingInput"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { compressed } from "./Compressed.ts"
import { backIn, idInPath, inForm, type Posted, textIn, whileChanged, withDone } from "./FormActions.ts"
import { html } from "./Html.ts"
import { listEditOf, listSettings, StaleList, staleListHtml } from "./ListEdit.ts"
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
  originHtml,
  pageLinks,
  progressHtml,
  shownIn,
  starButton,
  tickableThings
} from "./ListHtml.ts"
import { pageIn, pathOf, queryOf } from "./Notices.ts"
import { page, redirect } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { nestingHtml } from "./ThingHtml.ts"

/** All lists and each of them, with the forms that make and change them. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get, noticeOf } = yield* makePageRoutes
    const lists = yield* Lists
    const bulk = yield* BulkThings
    const tags = yield* EntityTags
    const preconditions = yield* Preconditions

    yield* get("/lists", (current, request) =>
      Effect.gen(function* () {
        const at = pageIn(queryOf(request))
        const [found, starred, notice, now] = yield* Effect.all(
          [lists.page(at, "ordinary"), lists.page(0, "favorited"), noticeOf(current, request), currentTime],
          { concurrency: "unbounded" }
        )
        const today = todayIn(current.account.timezone, now)
        const origin = { csrf: current.session.csrf, back: pathOf(request) }
        const others = found.items.filter((list) => !list.favorited)
        // A number is not worth the page.
        const open = yield* Effect.catchTag(
          lists.openCounts(at > 0 ? others : [...starred.items, ...others]),
          "StorageUnavailable",
          () => Effect.succeed(new Map())
        )
        const main = html`${notice}
          <h1>Lists</h1>
          ${at > 0 ? "" : newListForms(origin)}
          ${at > 0 || starred.items.length === 0 ? "" : html`<h2>Starred</h2>${listCards(starred.items, today, origin, open)}<h2>All others</h2>`}
          ${others.length === 0 ? emptyHtml(at === 0 && starred.items.length === 0 ? "You have no lists yet." : "There are no others.") : listCards(others, today, origin, open)}
          ${pageLinks("/lists?", at, found.hasMore, "your lists")}
          <p><a href="/lists/days">Days</a> · <a href="/lists/archived">Archived lists</a></p>`
        return yield* compressed(request, page("Lists", main, { signedInAs: current.account.email, section: "lists" }))
      })
    )

    /** Lists that the page of all lists only leads to. */
    const getOthers = (only: "archived" | "days", title: string, none: string) =>
      get(`/lists/${only}`, (current, request) =>
        Effect.gen(function* () {
          const at = pageIn(queryOf(request))
          const found = yield* lists.page(at, only)
          const today = todayIn(current.account.timezone, yield* currentTime)
          const origin = { csrf: current.session.csrf, back: pathOf(request) }
          const main = html`<p class="eyebrow"><a href="/lists">Lists</a></p>
            <h1>${title}</h1>
            ${found.items.length === 0 ? emptyHtml(none) : listCards(found.items, today, origin)}
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
        const origin = { csrf: current.session.csrf, back: pathOf(request) }
        const shown = shownIn(request)
        const look = yield* runSteps(() => lookIn(things, shown, lookOf(timezone, now)))
        const rows = shown.openOnly ? openAmong(things) : things
        const body =
          rows.length === 0
            ? emptyHtml(things.length === 0 ? "This list is empty." : "Everything here is done.")
            : yield* runSteps(() => tickableThings(rows, reminders, look, origin))
        const main = html`${notice}
          <div class="title">
            <h1>${title}</h1>
            <form method="post" action="/lists/star">${originHtml(origin)}${starButton(list)}</form>
          </div>
          ${list.archived ? html`<p class="soft">This list is archived.</p>` : ""} ${progressHtml(things, shown)}
          ${shown.nests ? nestingHtml(shown.otherWay) : addForm(`/lists/${list.id}`, origin)} ${body} ${listSettings(list, origin, shown)}`
        return yield* compressed(request, page(title, main, { signedInAs: current.account.email, section: "lists" }))
      })
    )

    yield* get("/lists/:id/markdown", (_, request) =>
      Effect.gen(function* () {
        const text = yield* Effect.flatMap(idInPath, lists.markdown)
        const answer = HttpServerResponse.text(text, {
          contentType: "text/markdown; charset=utf-8",
          headers: { "content-disposition": 'attachment; filename="list.md"', "cache-control": "no-store" }
        })
        return yield* compressed(request, answer)
      })
    )

    const toLists = () => "/lists"
    const toList = (id: string) => `/lists/${id}`

    yield* action("/lists/new", "createList", toLists, ({ fields }, call) =>
      Effect.gen(function* () {
        const [first = "", ...lines] = textIn(fields, "title").trim().split("\n")
        const title = first.replace(/^#{1,6} /, "").trim()
        const input = yield* decodeInput(ImportMarkdownInput, inForm)({ title, markdown: lines.join("\n") })
        const { list } = yield* lists.createTyped({ ...input, title })
        return withDone(`/lists/${list.id}`, call)
      })
    )

    yield* action("/lists/import", "importMarkdown", toLists, ({ fields }, call) => {
      const file = textIn(fields, "file")
      const title = textIn(fields, "title").trim()
      const given = { markdown: file === "" ? textIn(fields, "markdown") : file, ...(title === "" ? {} : { title }) }
      return decodeInput(
        ImportMarkdownInput,
        inForm
      )(given).pipe(
        Effect.flatMap((input) => lists.importMarkdown(input)),
        Effect.map(({ list }) => withDone(`/lists/${list.id}`, call))
      )
    })

    yield* action("/lists/star", "updateList", toLists, ({ fields }, call) => {
      const starred = fields.get("star")
      return lists
        .update(starred ?? fields.get("unstar") ?? "", { favorited: starred !== null })
        .pipe(Effect.map(() => withDone(backIn(fields, "/lists"), call)))
    })

    /** Changes what the form changed, of the list as it is then. */
    const edit = Effect.fnUntraced(function* (fields: URLSearchParams, id: string) {
      const { list } = yield* lists.view(id)
      const { stale, typed } = listEditOf(fields, list)
      if (stale.length > 0) return yield* new StaleList({ fields: stale })
      const patch = yield* decodeInput(UpdateListInput, inForm)(typed)
      const tag = yield* tags.ofList(list)
      return yield* preconditions.ifMatch({ kind: "list", id, isRemoval: false }, [tag], lists.update(id, patch))
    })

    const showStale = Effect.fnUntraced(function* ({ current, fields, id }: Posted, stale: StaleList["fields"]) {
      const { list } = yield* lists.view(id)
      const { account, session } = current
      const today = todayIn(account.timezone, yield* currentTime)
      const origin = { csrf: session.csrf, back: listPath(list) }
      const main = staleListHtml(list, today, origin, { typed: fields, stale })
      return page("List settings", main, { signedInAs: account.email, section: "lists", status: 409 })
    })

    yield* action("/lists/:id/edit", "updateList", toList, (posted, call) =>
      whileChanged(edit(posted.fields, posted.id)).pipe(
        Effect.map((list) => withDone(listPath(list), call)),
        Effect.catchTag("StaleList", ({ fields }) => showStale(posted, fields))
      )
    )

    yield* action("/lists/:id/archive", "updateList", toList, ({ fields, id }, call) =>
      lists
        .update(id, { archived: fields.get("archived") === "true" })
        .pipe(Effect.map((list) => withDone(listPath(list), call)))
    )

    yield* action("/lists/:id/delete", "deleteList", toLists, ({ id }, call) =>
      lists.remove(id).pipe(Effect.map(() => withDone("/lists", call)))
    )

    yield* action("/lists/:id/add", "appendMarkdown", toList, ({ fields, id }, call) =>
      decodeInput(
        AppendMarkdownInput,
        inForm
      )({ markdown: textIn(fields, "markdown"), list_id: id }).pipe(
        Effect.flatMap(bulk.appendTyped),
        Effect.map(() => withDone(backIn(fields, `/lists/${id}`), call, "add"))
      )
    )
  })
)
