import { Effect, Schema } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { instantOf } from "@lists-and-things/domain/days/IsoTime"
import { Operations, operationsPerPage } from "@lists-and-things/domain/history/Operations"
import { OperationsJson, operationsJson } from "@lists-and-things/domain/json/OperationJson"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { ListId, Page, ThingId, time } from "../Arguments.ts"
import { OperationResult, operationResult } from "../results/OperationResult.ts"
import { NextPage, notifyPageBeyondEnd } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey

export const listOperations = defineTool({
  name: "list_operations",
  title: "List operations",
  description:
    "Returns the calls that changed something, newest first, 50 per page: who made each and what it did. undo undoes one.",
  scope: ["read:lists", "read:things"],
  hints: hints.reads,
  input: Schema.Struct({
    byId: optionalKey(Fields.Name.annotate({ hint: "Only operations with this by.id.", examples: ["4f9Kq2LmX0aB"] })),
    since: optionalKey(time("ISO 8601; only later operations.")),
    thingId: optionalKey(ThingId),
    listId: optionalKey(ListId),
    page: optionalKey(Page)
  }).pipe(Schema.encodeKeys({ byId: "by_id", thingId: "thing_id", listId: "list_id" })),
  output: Schema.Struct({ ...OperationsJson.fields, operations: Schema.Array(OperationResult), next_page: NextPage }),
  handler: Effect.fnUntraced(function* ({ page = 0, since, ...filter }) {
    const operations = yield* Operations
    const { account } = yield* Caller
    const found = yield* operations.page({
      ...filter,
      page,
      ...(since !== undefined && { since: instantOf(since, account.timezone) })
    })
    yield* notifyPageBeyondEnd(page, found.items)
    const next = `Call list_operations with page ${page + 1}; keep the other arguments.`
    return {
      ...operationsJson(found, page, operationsPerPage),
      operations: found.items.map((operation) => operationResult(operation, account.timezone)),
      ...(found.hasMore ? { next_page: next } : {})
    }
  })
})
