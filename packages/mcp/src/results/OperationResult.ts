import { Schema } from "effect"
import { OperationJson } from "@lists-and-things/domain/json/OperationJson"

const { id, at, name, summary, undone_by } = OperationJson.fields

/** An operation in a tool's result; its further fields are not listed here. */
export const OperationResult = Schema.StructWithRest(Schema.Struct({ id, at, name, summary, undone_by }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
