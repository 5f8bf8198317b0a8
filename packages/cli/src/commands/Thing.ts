import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { Account } from "@lists-and-things/domain/model/Account"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { type BulkSetInput, CreateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { confirm } from "../StandardInput.ts"
import { Failure, UsageError } from "../Failure.ts"
import type { Input } from "../Input.ts"
import { targetOf } from "../ListView.ts"
import { count } from "../Output.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"

export const add: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(CreateThingInput)(fieldsOf(input))
    const account = yield* ownerOf(input)
    const thing = yield* onBehalfOf(account)((yield* Things).create(given))
    return { json: thingJson(thing), text: `Added: ${thing.text} (${thing.id})`, quiet: thing.id }
  })

/** The command line as a body of `POST /things`. */
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

export const done: StorageRun = (input) => {
  const undo = input.switch("undo")
  const cancel = input.switch("cancel")
  if (undo && cancel) throw new UsageError("--undo and --cancel exclude each other")
  const set = undo ? { completed: false, canceled: false } : cancel ? { canceled: true } : { completed: true }
  const verb = undo ? "Opened" : cancel ? "Canceled" : "Completed"
  return Effect.map(updateThings(input, set), (result) => ({
    json: result,
    text: `${verb} ${count(result.updated, "thing")}${result.skipped > 0 ? `, skipped ${result.skipped}` : ""}.`
  }))
}

export const move: StorageRun = (input) =>
  Effect.map(updateThings(input, targetOf(input.option("to") ?? "")), (result) => ({
    json: result,
    text: `Moved ${count(result.updated, "thing")}${result.skipped > 0 ? `, skipped ${result.skipped}` : ""}.`
  }))

export const rm: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const ids = input.arguments("ID")
    yield* confirm(input, `Deleting ${count(ids.length, "thing")}`)
    const deleted = yield* onBehalfOf(account)((yield* BulkThings).remove(ids))
    if (deleted === 0) return yield* noSuchThing(account, ids)
    return { json: { deleted }, text: `Deleted ${count(deleted, "thing")}.` }
  })

/** Updates the named things in one write; fails when none of them exists. */
export const updateThings = (input: Input, set: BulkSetInput) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const ids = input.arguments("ID")
    const result = yield* onBehalfOf(account)((yield* BulkThings).update({ ids, set }))
    if (result.updated === 0) return yield* noSuchThing(account, ids)
    return result
  })

/** Fails when none of the ids is a thing's; for a single id the domain's error says what it names instead. */
export const noSuchThing = (account: Account, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [only, ...others] = ids
    if (only !== undefined && others.length === 0) yield* onBehalfOf(account)((yield* Things).get(only))
    return yield* Effect.fail(
      new Failure("No thing has any of these ids.", "'lat list show LIST --ids' shows the ids of a list.")
    )
  })
