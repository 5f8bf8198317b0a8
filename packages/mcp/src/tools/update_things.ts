import { Effect, Equal, Schema } from "effect"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { changedThings } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

const keys = { listRef: "list_ref", listId: "list_id" } as const

const SetInput = Schema.Struct(changedThings).pipe(Schema.encodeKeys(keys))

export const updateThings = defineTool({
  name: "update_things",
  title: "Update things",
  description:
    "Makes one change to up to 500 things, all or none, but not to things nested under them: complete, cancel, move … tags replace the tags of each. Give the fields directly or in set. Unknown ids are skipped.",
  scope: "write:things",
  operation: "updateThings",
  dryRun: true,
  hints: hints.changes,
  input: Schema.Struct({
    ids: Fields.Ids.check(Schema.isMinLength(1, { expected: "at least one id" })).annotate({
      examples: [[exampleIds.thing]]
    }),
    ...changedThings,
    set: Schema.optionalKey(
      SetInput.annotate({ hint: "The fields to change, if not given directly.", examples: [{ completed: true }] })
    )
  }).pipe(Schema.encodeKeys(keys)),
  output: Schema.Struct({ updated: Schema.Int, skipped: Schema.Int }),
  handler: Effect.fnUntraced(function* ({ ids, set: nested = {}, ...flat }) {
    const direct = new Map<string, unknown>(Object.entries(flat))
    // Models that must give every argument repeat some of them.
    const isAmbiguous = Object.entries(nested).some(
      ([key, value]) => direct.has(key) && !Equal.equals(value, direct.get(key))
    )
    if (isAmbiguous) {
      return yield* new InvalidInput({
        field: "set",
        reason: "must not have another value for a field that is given directly",
        example: '"set": {"completed": true}'
      })
    }
    const set = { ...flat, ...nested }
    if (Object.keys(set).length === 0) {
      return yield* new InvalidInput({
        field: "",
        reason: "Give at least one field to change",
        example: '"completed": true'
      })
    }
    const things = yield* BulkThings
    return yield* things.update({ ids, set })
  })
})
