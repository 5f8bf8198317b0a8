import { Effect, Schema } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { OperationResult, operationResult } from "../results/OperationResult.ts"
import { idLike } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const undo = defineTool({
  name: "undo",
  title: "Undo a change",
  description:
    "Undoes everything that one call changed, including deletions, or nothing. Without operation_id, it undoes your newest call that is not undone; called again, the one before. Undoing an undo is a redo.",
  scope: ["write:lists", "write:things"],
  operation: "undoOperation",
  hints: hints.changes,
  input: Schema.Struct({
    operationId: Schema.optionalKey(idLike(exampleIds.operation))
  }).pipe(Schema.encodeKeys({ operationId: "operation_id" })),
  output: Schema.Struct({ operation: OperationResult, undone: OperationResult }),
  handler: Effect.fnUntraced(function* ({ operationId }) {
    const { undo, undoNewest } = yield* Undo
    const { account, by } = yield* Caller
    // Without a key the tools act as the operator, who types commands too: these are not the client's.
    const filter = by.type === "operator" ? { surface: "mcp" as const } : {}
    const { operation, undone } = yield* operationId === undefined ? undoNewest(by.id, filter) : undo(operationId)
    return {
      operation: operationResult(operation, account.timezone),
      undone: operationResult(undone, account.timezone)
    }
  })
})
