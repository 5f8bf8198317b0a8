import { counted } from "@lists-and-things/domain/text/Wording"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { type BulkSetInput, CreateThingInput, UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { thingJson, thingViewJson } from "@lists-and-things/domain/json/ThingJson"
import type { ThingState } from "@lists-and-things/domain/ports/ThingStore"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { confirm, readText, undoable } from "../StandardInput.ts"
import { Failure, UsageError } from "../Failure.ts"
import { definedFields, type Input } from "../Input.ts"
import { targetOf } from "../ListView.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { findThing, findThings, nameOf, thingContextOf } from "../ThingRefs.ts"
import { thingText } from "../ThingText.ts"

export const add: StorageRun = (input) =>
  Effect.gen(function* () {
    const typed = { ...fieldsOf(input), text: input.arguments("TEXT").join(" "), ...listOf(input.option("list")) }
    const given = yield* decodeInput(CreateThingInput, input.wording)(yield* withInput(typed, input))
    const account = yield* ownerOf(input)
    const thing = yield* onBehalfOf(account)((yield* Things).create(given))
    const { lists, shortOf } = yield* onBehalfOf(account)(thingContextOf([thing]))
    const list = lists.get(thing.listId)?.title ?? ""
    return { json: thingJson(thing), text: `Added: ${nameOf(thing, shortOf(thing.id))}, in ${list}`, quiet: thing.id }
  })

/** The options as fields of a body of `POST` and `PATCH /things`. */
const fieldsOf = (input: Input): Readonly<Record<string, unknown>> => {
  return definedFields({
    text: input.option("text"),
    type: input.option("type"),
    tags: input.options("tag"),
    url: input.option("url"),
    note: input.option("note"),
    tabs: input.wholeNumber("tabs"),
    favorited: input.boolean("favorited")
  })
}

/** Reads the text or the note from standard input if it is `-`, without a final line break. */
const withInput = (fields: Readonly<Record<string, unknown>>, { terminal }: Input) =>
  Effect.gen(function* () {
    const [name, second] = ["text", "note"].filter((each) => fields[each] === "-")
    if (name === undefined) return fields
    if (second !== undefined) return yield* Effect.fail(new UsageError("the text and the note cannot both be '-'"))
    const read = yield* readText("-", terminal)
    return { ...fields, [name]: read.replaceAll("\r\n", "\n").replace(/\n$/, "") }
  })

const listOf = (list: string | undefined) => (list === undefined ? {} : isIdForm(list) ? { list_id: list } : { list })

export const edit: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(UpdateThingInput, input.wording)(yield* withInput(fieldsOf(input), input))
    if (Object.keys(given).length === 0)
      return yield* Effect.fail(new UsageError("name at least one change, such as --text 'Oat milk, two'"))
    const account = yield* ownerOf(input)
    const found = yield* findThing(account, input.arguments("THING").join(" "), "open")
    const { thing } = yield* onBehalfOf(account)((yield* Things).update(found.thing.id, given))
    return { json: thingJson(thing), text: `Changed: ${nameOf(thing, found.short)}`, quiet: thing.id }
  })

export const show: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const { short, thing: found } = yield* findThing(account, input.arguments("THING").join(" "), "open")
    const { list, occurrences, view } = yield* onBehalfOf(account)(shown(found.id))
    return {
      json: thingViewJson(view),
      text: thingText(input.terminal, account, view, {
        short,
        list,
        occurrences
      }),
      quiet: view.thing.id
    }
  })

/** Number of occurrences of a reminder that `thing show` shows. */
const shownOccurrences = 3

const shown = (id: string) =>
  Effect.gen(function* () {
    const view = yield* (yield* Things).get(id)
    const lists = yield* (yield* ThingTarget).listsOf([view.thing])
    const occurrences = view.reminder === null ? [] : yield* (yield* Reminders).occurrences(id, shownOccurrences)
    return { view, list: lists.get(view.thing.listId)?.title ?? "", occurrences }
  })

export const done: StorageRun = (input) => {
  const undo = input.switch("undo")
  const cancel = input.switch("cancel")
  if (undo && cancel) throw new UsageError("--undo and --cancel exclude each other")
  return undo ? reopen(input) : cancel ? cancelThings(input) : complete(input)
}

const complete: StorageRun = (input) => changed(input, "Completed", "open", { completed: true })

export const cancelThings: StorageRun = (input) => changed(input, "Canceled", "open", { canceled: true })

export const reopen: StorageRun = (input) => changed(input, "Opened", "closed", { completed: false, canceled: false })

export const move: StorageRun = (input) => changed(input, "Moved", "open", targetOf(input.option("to") ?? ""))

/** Makes one change to all the things in one write; fails when none of them exists. */
const changed = (input: Input, verb: string, state: ThingState, set: BulkSetInput) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const { ids, name } = yield* findThings(account, input.arguments("THING"), state)
    const result = yield* onBehalfOf(account)((yield* BulkThings).update({ ids, set }))
    if (result.updated === 0) return yield* noSuchThing
    const skipped = result.skipped > 0 ? `, skipped ${result.skipped}` : ""
    return {
      json: result,
      text: name === undefined ? `${verb} ${counted(result.updated, "thing")}${skipped}.` : `${verb}: ${name}`
    }
  })

export const remove: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const { ids, name } = yield* findThings(account, input.arguments("THING"), "open")
    yield* confirm(input, `Deleting ${name ?? counted(ids.length, "thing")}`, undoable)
    const deleted = yield* onBehalfOf(account)((yield* BulkThings).remove(ids))
    if (deleted === 0) return yield* noSuchThing
    const text = name === undefined ? `Deleted ${counted(deleted, "thing")}.` : `Deleted: ${name}`
    return { json: { deleted }, text }
  })

const noSuchThing = Effect.fail(
  new Failure("No thing has any of these ids.", `'${lat("list show LIST --ids")}' shows the ids of a list.`)
)
