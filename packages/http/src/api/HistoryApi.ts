import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Authentication, operation } from "./Operation.ts"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./HistoryExamples.ts"
import * as Parameters from "./Parameters.ts"

const params = Parameters.operationInPath
const reading = ["read:lists", "read:things"] as const

const listOperations = HttpApiEndpoint.get("listOperations", "/operations", {
  query: Parameters.operations,
  success: Answers.OperationPage,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: reading,
    summary: "List operations",
    description:
      "An operation is a call that changed something: who made it, when, and what it did, in one line. Returns operations newest first, 50 per page. They are kept for 30 days unless the server is configured otherwise.",
    example: () => ({ response: Examples.operations() })
  })
)

const getOperation = HttpApiEndpoint.get("getOperation", "/operations/:id", {
  params,
  success: Answers.OperationView,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: reading,
    summary: "Get an operation and what it changed",
    description:
      "For a deleted entity, `before` has every field. For an updated one, `before` and `after` have the changed fields. Returns at most 500 entities. Deleted content stays visible here until the operation is pruned.",
    example: () => ({ response: Examples.operationView() })
  })
)

const undoOperation = HttpApiEndpoint.post("undoOperation", "/operations/:id/undo", {
  params,
  success: Answers.Undone,
  error: Errors.undoing
}).annotateMerge(
  operation({
    scope: ["write:lists", "write:things"],
    summary: "Undo an operation",
    description:
      "Undoes all of the operation or nothing. What it created is deleted, what it deleted comes back with its ids, and what it updated gets its former values. The undo is an operation itself, so undoing it is a redo. 409 if a later operation prevents it; the error names that operation. 410 if the data for the undo is no longer kept. Changes of settings cannot be undone.",
    example: () => ({ response: Examples.undone() })
  })
)

const listChanges = HttpApiEndpoint.get("listChanges", "/changes", {
  query: Parameters.feed,
  success: Answers.Changes,
  error: Errors.readingFeed
}).annotateMerge(
  operation({
    scope: reading,
    summary: "Follow changes",
    description:
      "A feed that misses no change. Without a cursor it begins with the whole state. Apply each `put` and `delete` in order, store the page's `cursor` together with the result, and send that cursor in the next request. Once `has_more` is false, your copy equals what is stored. After a 410, start again without a cursor. At most 20 requests per key can wait at the same time.",
    example: () => ({ response: Examples.changes() })
  })
)

export const HistoryApi = HttpApiGroup.make("history")
  .add(listOperations, getOperation, undoOperation, listChanges)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "History",
      description: "What changed and who changed it, undo, and a feed of changes."
    })
  )
