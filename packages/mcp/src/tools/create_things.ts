import { caps } from "@lists-and-things/domain/model/Caps"
import { Effect, Schema } from "effect"
import { BulkCreatedJson, bulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { thingKeys } from "@lists-and-things/domain/json/ThingInput"
import { newThing, target } from "../Arguments.ts"
import { notifyMarkers } from "../results/Markers.ts"
import { defineTool, hints } from "../Tool.ts"

export const createThings = defineTool({
  name: "create_things",
  title: "Create things",
  description:
    "Creates up to 500 things in order, all or none, in the list that list_id or list names, else in today's day list. An item can name its own list. Returns counts; get the ids with get_list or get_today.",
  scope: "write:things",
  operation: "createThings",
  hints: hints.adds,
  input: Schema.Struct({
    items: Schema.Array(Schema.Struct({ ...newThing, ...target }).pipe(Schema.encodeKeys(thingKeys)))
      .check(Schema.isBetweenLength(1, caps.items, { expected: `1 to ${caps.items} items` }))
      .annotate({ examples: [[{ text: "Bread" }, { text: "Butter" }]] }),
    ...target,
    skipDuplicates: Schema.optionalKey(
      Schema.Boolean.annotate({ hint: "Skips items that the list already has, done or not, by url or exact text." })
    )
  }).pipe(Schema.encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" })),
  output: BulkCreatedJson,
  handler: Effect.fnUntraced(function* (input) {
    const things = yield* BulkThings
    const created = yield* things.create(input)
    yield* notifyMarkers(input.items, (at) => `items[${at}].text`)
    return bulkCreatedJson(created)
  })
})
