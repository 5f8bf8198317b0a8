import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { callOf, CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { signedInPages, postedForm } from "./CurrentSession.ts"
import { backIn, withDone } from "./FormActions.ts"
import { historyHtml, operationHtml, type Refusal } from "./HistoryHtml.ts"
import { page, redirect } from "./Page.ts"

/** What was changed in the account, operation by operation, and their undo (docs/decisions.md#history). */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const forSignedIn = yield* signedInPages
    const operations = yield* Operations
    const undo = yield* Undo

    const idOf = Effect.map(HttpRouter.params, (params) => params["id"] ?? "")

    const list = forSignedIn((current, request) =>
      Effect.gen(function* () {
        const query = new URLSearchParams(request.url.split("?", 2)[1] ?? "")
        const at = pageOf(query)
        const found = yield* operations.page({ page: at })
        return page(
          "History",
          historyHtml({
            csrf: current.session.csrf,
            zone: current.account.timezone,
            operations: found.items,
            page: at,
            hasMore: found.hasMore,
            undoneBy: undoneIn(query)
          }),
          { signedInAs: current.account.email, section: "account" }
        )
      })
    )

    const showOne = Effect.fnUntraced(function* (current: SignedIn, id: string, refusal?: Refusal) {
      const view = yield* operations.view(id)
      const { csrf } = current.session
      const body = yield* runSteps(() => operationHtml({ csrf, zone: current.account.timezone, view, refusal }))
      return page(view.operation.summary, body, {
        signedInAs: current.account.email,
        section: "account",
        status: refusal?.status ?? 200
      })
    })

    const takeBack = forSignedIn((current, request) =>
      Effect.gen(function* () {
        const fields = yield* postedForm(current, request)
        const id = yield* idOf
        const call = yield* callOf("undoOperation", "web")
        return yield* undo.undo(id).pipe(
          Effect.provideService(CurrentOperation, call),
          Effect.map(({ operation }) =>
            redirect(
              fields.has("back")
                ? withDone(backIn(fields, "/account/history"), call)
                : `/account/history?undone=${operation.id}`
            )
          ),
          Effect.catchTags({
            Conflict: ({ message }) => showOne(current, id, { status: 409, message }),
            Gone: ({ message }) => showOne(current, id, { status: 410, message })
          })
        )
      })
    )

    yield* router.add("GET", "/account/history", list)
    yield* router.add(
      "GET",
      "/account/history/:id",
      forSignedIn((current) => Effect.flatMap(idOf, (id) => showOne(current, id)))
    )
    yield* router.add("POST", "/account/history/:id/undo", takeBack)
    yield* router.add(
      "GET",
      "/account/history/:id/undo",
      Effect.map(idOf, (id) => redirect(`/account/history/${encodeURIComponent(id)}`))
    )
  })
)

/** Zero-based; anything that is no page is the first one. */
const pageOf = (query: URLSearchParams): number => {
  const text = query.get("page") ?? ""
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

/** The undo that led here. */
const undoneIn = (query: URLSearchParams): string | undefined => {
  const id = query.get("undone") ?? ""
  return isIdForm(id) ? id : undefined
}
