import { Effect, Layer } from "effect"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { plainSummary } from "@lists-and-things/domain/summaries/PlainSummary"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { backIn, idInPath, withDone } from "./FormActions.ts"
import { historyHtml, operationHtml, type Refusal } from "./HistoryHtml.ts"
import { historyPath, type Only, pageIn, queryOf } from "./Notices.ts"
import { page } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"

/** What was changed in the account, operation by operation, and their undo (docs/decisions.md#history). */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get } = yield* makePageRoutes
    const operations = yield* Operations
    const undo = yield* Undo

    /** The undo that led here. */
    const undoneIn = (query: URLSearchParams) => {
      const id = query.get("undone") ?? ""
      if (!isIdForm(id)) return Effect.succeed(undefined)
      return Effect.catchTag(operations.get(id), "NotFound", () => Effect.succeed(undefined))
    }

    yield* get("/account/history", (current, request) =>
      Effect.gen(function* () {
        const query = queryOf(request)
        const at = pageIn(query)
        const only = onlyIn(query)
        const [found, undone] = yield* Effect.all([operations.page({ ...only, page: at }), undoneIn(query)], {
          concurrency: "unbounded"
        })
        return page(
          "History",
          historyHtml({
            csrf: current.session.csrf,
            zone: current.account.timezone,
            operations: found.items,
            only,
            page: at,
            hasMore: found.hasMore,
            undo: undone
          }),
          { signedInAs: current.account.email, section: "account" }
        )
      })
    )

    const showOne = Effect.fnUntraced(function* (current: SignedIn, id: string, refusal?: Refusal) {
      const view = yield* operations.view(id)
      const { csrf } = current.session
      const body = yield* runSteps(() => operationHtml({ csrf, zone: current.account.timezone, view, refusal }))
      return page(plainSummary(view.operation.summary), body, {
        signedInAs: current.account.email,
        section: "account",
        status: refusal?.status ?? 200
      })
    })

    yield* get("/account/history/:id", (current) => Effect.flatMap(idInPath, (id) => showOne(current, id)))

    yield* action(
      "/account/history/:id/undo",
      "undoOperation",
      (id) => `/account/history/${id}`,
      ({ current, fields, id }, call) =>
        undo.undo(id).pipe(
          Effect.map(({ operation }) =>
            fields.has("back")
              ? withDone(backIn(fields, "/account/history"), call)
              : historyPath(onlyIn(fields), { undone: operation.id })
          ),
          Effect.catchTags({
            Conflict: ({ message }) => showOne(current, id, { status: 409, message }),
            Gone: ({ message }) => showOne(current, id, { status: 410, message })
          })
        )
    )
  })
)

/** The list or the thing whose history is asked for. */
const onlyIn = (query: URLSearchParams): Only => {
  const [thingId, listId] = [query.get("thing") ?? "", query.get("list") ?? ""]
  return isIdForm(thingId) ? { thingId } : isIdForm(listId) ? { listId } : {}
}
