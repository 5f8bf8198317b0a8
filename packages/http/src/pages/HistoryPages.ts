import { Effect, Layer } from "effect"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { Operation } from "@lists-and-things/domain/model/Operation"
import { plainSummary } from "@lists-and-things/domain/summaries/PlainSummary"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { actorOf } from "./CurrentSession.ts"
import { backIn, idInPath, type Posted } from "./FormActions.ts"
import { historyHtml, operationHtml, operationsIn, type Refusal } from "./HistoryHtml.ts"
import { page } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { historyFilterIn, historyPath } from "./HistoryLinks.ts"
import { pageIn, queryOf, withNotice } from "./PageAddress.ts"

/** The operations of the account, and their undo (docs/decisions.md#history). */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get } = yield* makePageRoutes
    const operations = yield* Operations
    const undo = yield* Undo

    /** The undo that led to this page, from its query. */
    const undoneIn = (query: URLSearchParams) => {
      const id = query.get("undone") ?? ""
      if (!isIdForm(id)) return Effect.succeed(undefined)
      return Effect.catchTag(operations.get(id), "NotFound", () => Effect.succeed(undefined))
    }

    yield* get("/account/history", (current, request) =>
      Effect.gen(function* () {
        const query = queryOf(request)
        const at = pageIn(query)
        const filter = historyFilterIn(query)
        const [found, undone] = yield* Effect.all([operations.page({ ...filter, page: at }), undoneIn(query)], {
          concurrency: "unbounded"
        })
        return page(
          "History",
          historyHtml({
            csrf: current.session.csrf,
            zone: current.account.timezone,
            operations: found.items,
            filter,
            page: at,
            hasMore: found.hasMore,
            undo: undone
          }),
          { signedInAs: current.account.email, section: "account" }
        )
      })
    )

    const nameOf = (id: string) =>
      operations.get(id).pipe(
        Effect.map(({ summary }): [string, string] => [id, plainSummary(summary)]),
        Effect.catchTag("NotFound", () => Effect.succeed<[string, string]>([id, id]))
      )

    const showOne = Effect.fnUntraced(function* (current: SignedIn, id: string, refusal?: Refusal) {
      const view = yield* operations.view(id)
      const { csrf } = current.session
      const prevented = refusal?.message ?? view.refusal ?? ""
      const names = new Map(yield* Effect.forEach(operationsIn(prevented), nameOf))
      const created = yield* operations.namesOfCreated(view.entities)
      const zone = current.account.timezone
      const body = yield* runSteps(() => operationHtml({ csrf, zone, view, refusal, names, created }))
      return page(plainSummary(view.operation.summary), body, {
        signedInAs: current.account.email,
        section: "account",
        status: refusal?.status ?? 200
      })
    })

    yield* get("/account/history/:id", (current) => Effect.flatMap(idInPath, (id) => showOne(current, id)))

    /** The undo of an operation by this session, where it is in effect: the answer to that form may have been lost. */
    const ownUndoOf = ({ current, id }: Posted) =>
      Effect.gen(function* () {
        const { undoneBy } = yield* operations.get(id)
        if (undoneBy === null) return undefined
        const made = yield* operations.get(undoneBy)
        return made.undoneBy === null && made.by.id === actorOf(current.session).id ? made : undefined
      }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))

    yield* action(
      "/account/history/:id/undo",
      "undoOperation",
      (id) => `/account/history/${id}`,
      (posted) =>
        undo.undo(posted.id).pipe(
          Effect.map(({ operation }) => undonePath(posted, operation)),
          Effect.catchTags({
            Conflict: ({ message }) =>
              Effect.gen(function* () {
                const own = yield* ownUndoOf(posted)
                if (own !== undefined) return undonePath(posted, own)
                return yield* showOne(posted.current, posted.id, { status: 409, message })
              }),
            Gone: ({ message }) => showOne(posted.current, posted.id, { status: 410, message })
          })
        )
    )
  })
)

/** Where an undo leads: to the page that it was on, which says so, or to the history. */
const undonePath = ({ fields }: Posted, undone: Operation): string =>
  fields.has("back")
    ? withNotice(backIn(fields, "/account/history"), { done: undone.id })
    : historyPath(historyFilterIn(fields), { undone: undone.id })
