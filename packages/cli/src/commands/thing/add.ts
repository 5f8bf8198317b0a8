import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { CreateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { Things } from "@lists-and-things/domain/things/Things"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import type { Input } from "../../Input.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"
import { isIdForm } from "@lists-and-things/domain/Ids"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(CreateThingInput)(fieldsOf(input))
    const account = yield* ownerOf(input)
    const thing = yield* onBehalfOf(account)((yield* Things).create(given))
    return { json: thingJson(thing), text: `Added: ${thing.text} (${thing.id})`, quiet: thing.id }
  })

/** What the command line says, as the body of `POST /things` says it. */
const fieldsOf = (input: Input): Readonly<Record<string, unknown>> => {
  const list = input.option("list")
  const fields = {
    text: input.arguments("TEXT").join(" "),
    type: input.option("type"),
    tags: input.options("tag"),
    url: input.option("url"),
    note: input.option("note"),
    tabs: input.whole("tabs"),
    ...(list !== undefined && (isIdForm(list) ? { list_id: list } : { list }))
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
