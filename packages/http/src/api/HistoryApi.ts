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
    summary: "List what was changed",
    description:
      "Every call that changed something, newest first, 50 a page: who made it, when, and what it did in one line. `since` is strictly later, by `at`; `list_id` finds operations on the list and on things in it. They are kept for 30 days, unless the server says otherwise.",
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
      "Of what it deleted `before` has every field; of what it updated `before` and `after` have the changed fields. At most 500 entities. Deleted content is shown until the operation is pruned.",
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
      "All of it or nothing. What it created goes, what it deleted comes back with its ids, and what it changed has its former values. The undo is an operation like any other, so undoing it is a redo. 409 where a later operation stands in the way, which the text names; 410 where what it changed is no longer kept. Changes of settings are never undone.",
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
    summary: "Follow what changes",
    description:
      "A feed that misses nothing. Without a cursor it begins with the whole state; keep the `cursor` of each page with what you made of it, and ask with it for what follows. Apply `put` and `delete` in order: once `has_more` is false, you have what is stored. 410: begin again without a cursor. At most 20 requests of a key wait at a time.",
    example: () => ({ response: Examples.changes() })
  })
)

export const HistoryApi = HttpApiGroup.make("history")
  .add(listOperations, getOperation, undoOperation, listChanges)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "History", description: "What was changed and by whom, undo, and a feed of changes." })
  )
