import { counted } from "@lists-and-things/domain/text/Wording"
import { access, constants, readFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Changes } from "@lists-and-things/domain/history/Changes"
import { operationPages } from "@lists-and-things/domain/history/OperationPages"
import { Operations, operationsPerPage } from "@lists-and-things/domain/history/Operations"
import { Undo, type Undone } from "@lists-and-things/domain/history/Undo"
import { changesJson } from "@lists-and-things/domain/json/ChangeJson"
import { entityJson, operationJson, operationViewJson, undoneJson } from "@lists-and-things/domain/json/OperationJson"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Operation } from "@lists-and-things/domain/model/Operation"
import { HistoryStore, type OperationFilter } from "@lists-and-things/domain/ports/HistoryStore"
import { entityName } from "@lists-and-things/domain/summaries/EntityName"
import { fold } from "@lists-and-things/domain/text/TextFold"
import { Effect, Exit, Stream } from "effect"
import { writeAtomically } from "../AtomicFile.ts"
import type { StorageRun } from "../Command.ts"
import { entityLines } from "../EntityLines.ts"
import { codeOf, Failure, reasonOf, UsageError } from "../Failure.ts"
import type { Input } from "../Input.ts"
import { localText } from "../ListText.ts"
import { accountByName, onBehalfOf, ownerOf } from "../Owner.ts"
import { confirm, undoable } from "../StandardInput.ts"
import { facts } from "../Table.ts"
import { timeOption } from "../TimeOption.ts"

export const history: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const [byId, thingId, listId] = [input.option("by"), input.option("thing"), input.option("list")]
    const since = yield* timeOption(input, "since", account)
    const filter: OperationFilter = {
      ...(byId !== undefined && { byId }),
      ...(thingId !== undefined && { thingId }),
      ...(listId !== undefined && { listId }),
      ...(since !== undefined && { since })
    }
    const words = input.option("find") ?? ""
    const { items, hasMore } = yield* onBehalfOf(account)(operationsOf(filter, words))
    return {
      json: items.map(operationJson),
      text: {
        heads: ["ID", "TIME", "BY", "WHAT"],
        rows: items.map((each) => [each.id, localText(each.at, account.timezone), actorName(each), summaryOf(each)]),
        none: Object.keys(filter).length === 0 && words === "" ? "Nothing was changed yet." : "There is no such change."
      },
      quiet: items.map(({ id }) => id).join("\n"),
      ...(hasMore && { more: "There are older ones: --since shows them from a time on." })
    }
  })

/** Shows one operation: a line for each entity that it changed, and below it the changed fields. */
export const show: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const operations = yield* Operations
    const view = yield* onBehalfOf(account)(operations.view(input.argument("OPERATION")))
    const { entities, operation, truncated } = view
    const created = yield* onBehalfOf(account)(operations.namesOfCreated(entities))
    const text = [
      facts(input.terminal, [
        ["what", summaryOf(operation)],
        ["time", `${localText(operation.at, account.timezone)} (${account.timezone})`],
        ["by", actorName(operation)],
        ["undo", view.refusal ?? view.undo],
        ...(operation.undoes === null ? [] : [["undoes", operation.undoes] as const]),
        ...(operation.undoneBy === null ? [] : [["undone by", operation.undoneBy] as const])
      ]),
      "",
      ...(entities.length === 0
        ? ["What it changed is no longer kept."]
        : entities.flatMap((states) => entityLines(entityJson(states), created.get(states.id) ?? entityName(states)))),
      ...(truncated ? [`It changed more: these are the first ${entities.length}.`] : [])
    ].join("\n")
    return { json: operationViewJson(view), text, quiet: operation.id }
  })

/**
 * At least a page of the newest operations whose summary contains the words, if there are so many; with `since`, all of
 * them.
 */
const operationsOf = (filter: OperationFilter, words: string) =>
  Effect.gen(function* () {
    const operations = yield* Operations
    const wanted = fold(words)
    const items: Array<Operation> = []
    let hasMore = false
    yield* Stream.runForEachWhile(operationPages(filter, operations.page), (found) =>
      Effect.sync(() => {
        for (const operation of found.items) if (fold(operation.summary).includes(wanted)) items.push(operation)
        hasMore = found.hasMore
        return filter.since !== undefined || items.length < operationsPerPage
      })
    )
    return { items, hasMore }
  })

const actorName = ({ by }: Operation): string => (by.name === "" ? by.id : by.name)

const summaryOf = ({ summary, undoneBy }: Operation): string => (undoneBy === null ? summary : `${summary} (undone)`)

export const erase: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* accountByName(input)
    const operation = input.option("operation")
    const before = yield* timeOption(input, "before", account)
    if (operation !== undefined && before !== undefined) {
      return yield* Effect.fail(new UsageError("--operation and --before exclude each other"))
    }
    yield* confirm(input, "Erasing what the history keeps")
    input.progress.begin("Erasing")
    const store = yield* HistoryStore
    const which = operation === undefined ? { before: before ?? endOfTime } : { operation }
    const erased = yield* store.erase(account.id, which)
    if (operation !== undefined && erased === 0) {
      return yield* Effect.fail(new Failure(`The history keeps nothing of an operation '${operation}'.`))
    }
    return { json: { erased }, text: `Erased what was kept of ${counted(erased, "operation")}.`, quiet: String(erased) }
  })

const endOfTime = EpochMillis(8.64e15)

export const undo: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const [by, ids] = [input.option("by"), [...new Set(input.arguments("OPERATION"))]]
    const since = yield* timeOption(input, "since", account)
    if ((by === undefined) !== (since === undefined) || (by !== undefined && ids.length > 0)) {
      return yield* Effect.fail(new UsageError("name operations, or give --by with --since, or neither"))
    }
    const as = onBehalfOf(account)
    if (by === undefined || since === undefined)
      return yield* as(ids.length === 0 ? undoNewest(input) : undoEach(input, ids))
    return yield* as(undoAll(input, by, since, localText(since, account.timezone)))
  })

/** With a question, undoes exactly the operation that was asked about, even if others were made meanwhile. */
const undoNewest = (input: Input) =>
  Effect.gen(function* () {
    const { by } = yield* Caller
    const { newest, undoNewest } = yield* Undo
    if (!input.switch("yes")) return yield* undoEach(input, [(yield* newest(by.id, notLookingAtADay)).id])
    input.progress.begin("Undoing")
    return answerOf([yield* undoNewest(by.id, notLookingAtADay)])
  })

/** Operation that creates a day list when a day is viewed. Undo skips it, since people do not regard it as a change. */
const notLookingAtADay = { exceptName: "getToday" }

/** Undoes the operations in order and stops at the first failure. An unknown id fails before any is undone. */
const undoEach = (input: Input, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [{ view }, { undo }] = [yield* Operations, yield* Undo]
    const asked = yield* Effect.forEach(ids, (id) => view(id))
    const what = asked.length === 1 ? `“${asked[0]!.operation.summary}”` : counted(asked.length, "operation")
    yield* confirm(input, `Undoing ${what}`, undoable)
    input.progress.begin("Undoing")
    const done: Array<Undone> = []
    for (const id of ids)
      done.push(
        yield* Effect.mapError(undo(id), (error) => (done.length === 0 ? error : stoppedAt(id, error, done, ids)))
      )
    return answerOf(done)
  })

const stoppedAt = (
  id: string,
  error: { readonly message: string },
  done: ReadonlyArray<Undone>,
  ids: ReadonlyArray<string>
): Failure => {
  const left = ids.length - done.length - 1
  const tried = left === 0 ? "" : ` ${counted(left, "operation")} after it ${left === 1 ? "was" : "were"} not tried.`
  return new Failure(`${id}: ${error.message}`, `Before it: ${done.map(lineOf).join("; ")}.${tried}`)
}

const answerOf = (done: ReadonlyArray<Undone>) => {
  const [first] = done
  return {
    json: first !== undefined && done.length === 1 ? undoneJson(first) : done.map(undoneJson),
    text: done.map(lineOf).join("\n"),
    quiet: done.map(({ operation }) => operation.id).join("\n")
  }
}

const lineOf = ({ operation }: Undone): string => `${operation.summary} (${operation.id})`

const undoAll = (input: Input, byId: string, since: EpochMillis, sinceText: string) =>
  Effect.gen(function* () {
    const { undoAll } = yield* Undo
    yield* confirm(input, `Undoing all that ${byId} did since ${sinceText}`, undoable)
    input.progress.begin("Undoing")
    const { operation, undone } = yield* undoAll({ byId, since })
    return {
      json: { operation: operationJson(operation), undone: undone.map(operationJson) },
      text: `${operation.summary} (${operation.id})`,
      quiet: operation.id
    }
  })

/** Seconds that one read of the feed waits for a change. */
const waitSeconds = 55

/**
 * Prints the change feed. The cursor is stored after the lines before it are written, so an interrupted run repeats
 * some lines and misses none. Ends when the reader of its output has gone.
 */
export const changes: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const file = input.option("cursor-file")
    const feed = yield* Changes
    const follows = input.switch("follow")
    const wait = follows ? waitSeconds : 0
    let cursor = file === undefined ? undefined : yield* readCursor(file)
    if (file !== undefined) yield* checkFolder(file)
    for (let isReading = true; isReading;) {
      const page = yield* onBehalfOf(account)(
        feed
          .read({ ...(cursor !== undefined && { cursor }), limit: 500, wait })
          .pipe(
            Effect.catchTag(["InvalidInput", "Gone"], (error) =>
              Effect.fail(file === undefined ? error : unusable(file))
            )
          )
      )
      const read = changesJson(page)
      const lines = read.changes.map((change) => `${JSON.stringify(change)}\n`).join("")
      const store = file === undefined || read.cursor === cursor ? Effect.void : writeCursor(file, read.cursor)
      const isWritten = yield* storeIfWritten(
        Effect.tryPromise(() => input.terminal.outWhenReady(lines)),
        store
      )
      if (!isWritten) break
      cursor = read.cursor
      isReading = follows || read.has_more
    }
    return { json: undefined, text: "", isWritten: true }
  })

/** Returns whether the lines were written; if so, stores the cursor even when interrupted. */
const storeIfWritten = <E>(written: Effect.Effect<void, unknown>, store: Effect.Effect<void, E>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.exit(restore(written)), (exit) =>
      Exit.isFailure(exit) ? Effect.succeed(false) : Effect.as(store, true)
    )
  )

const unusable = (file: string): Failure =>
  new Failure(
    `${file} has no cursor from which this account's changes go on`,
    "Without this file the lines begin with the whole state."
  )

/** Undefined when there is no such file yet. */
const readCursor = (file: string): Effect.Effect<string | undefined, Failure> =>
  Effect.tryPromise({
    try: async () => {
      try {
        return (await readFile(file, "utf8")).trim() || undefined
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined
        throw error
      }
    },
    catch: (error) => new Failure(`${file} cannot be read: ${reasonOf(error)}`)
  })

/** Checked before the first line is printed: without the cursor, a later run would print all lines again. */
const checkFolder = (file: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: () => access(dirname(file), constants.W_OK),
    catch: (error) =>
      codeOf(error) === "ENOENT"
        ? new Failure(`${file} cannot be written: there is no folder ${dirname(file)}.`)
        : new Failure(`${file} cannot be written: ${reasonOf(error)}`)
  })

const writeCursor = (file: string, cursor: string): Effect.Effect<void, Failure> =>
  writeAtomically(file, (append) => append(`${cursor}\n`))
