import { Schema } from "effect"
import { localTime } from "@lists-and-things/domain/days/LocalText"
import { OperationJson, operationJson } from "@lists-and-things/domain/json/OperationJson"
import type { Operation } from "@lists-and-things/domain/model/Operation"

const { id, at, name, summary, undone_by } = OperationJson.fields

/** An operation in a tool's result; its further fields are not listed here. */
export const OperationResult = Schema.StructWithRest(Schema.Struct({ id, at, name, summary, undone_by }), [
  Schema.Record(Schema.String, Schema.Unknown)
])

/** The operation, with its time on the owner's clock. */
export const operationResult = (operation: Operation, zone: string): typeof OperationResult.Type => ({
  ...operationJson(operation),
  at_local: localTime(zone, operation.at)
})
