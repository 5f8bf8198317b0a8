import { caps } from "@lists-and-things/domain/model/Caps"
import { Effect, Schema } from "effect"
import { CreateListInput } from "@lists-and-things/domain/json/ListInput"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { newThing } from "../Arguments.ts"
import { notifyMarkers } from "../results/Markers.ts"
import { shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const { emoji, title } = CreateListInput.fields

export const createList = defineTool({
  name: "create_list",
  title: "Create a list",
  description:
    "Creates a list, optionally with up to 500 things in order. A list with the same title may exist already: search first.",
  scope: "write:lists",
  operation: "createList",
  hints: hints.adds,
  input: Schema.Struct({
    title,
    emoji,
    things: Schema.optionalKey(
      Schema.Array(Schema.Struct(newThing).pipe(Schema.encodeKeys({ listRef: "list_ref", cloneOf: "clone_of" })))
        .check(Schema.isMaxLength(caps.items, { expected: `at most ${caps.items} things` }))
        .annotate({ examples: [[{ text: "Bread" }, { text: "Butter" }]] })
    )
  }),
  output: Schema.Struct({ list: ListJson, created: Schema.Int, skipped: Schema.Int }),
  handler: Effect.fnUntraced(function* (input) {
    const lists = yield* Lists
    const { list, created, skipped } = yield* lists.create(input)
    yield* notifyMarkers(input.things ?? [], (at) => `things[${at}].text`)
    return { list: yield* shownList(list), created, skipped }
  })
})
