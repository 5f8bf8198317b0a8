import { type DumpCounts, InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect } from "effect"
import { createReadStream } from "node:fs"
import { writeAtomically } from "../AtomicFile.ts"
import type { StorageRun } from "../Command.ts"
import { Failure } from "../Failure.ts"
import { count } from "../Output.ts"
import { unreadable } from "../StandardInput.ts"
import type { Terminal } from "../Terminal.ts"

const summary = (counts: DumpCounts): string =>
  `${count(counts["accounts"] ?? 0, "account")}, ${count(counts["lists"] ?? 0, "list")} and ${count(counts["things"] ?? 0, "thing")}`

export const dump: StorageRun = (input) =>
  Effect.gen(function* () {
    const file = input.argument("FILE")
    const { terminal } = input
    const instance = yield* InstanceDump
    if (file !== "-") {
      const rows = yield* writeAtomically(file, (append) => instance.dump(append))
      return { json: { file, rows }, text: `Wrote ${summary(rows)} to ${file}.`, quiet: file }
    }
    if (terminal.outIsTerminal) {
      return yield* Effect.fail(
        new Failure("A dump holds secrets and is not for a terminal.", "Name a file, or use a pipe.")
      )
    }
    const rows = yield* instance.dump((text) =>
      Effect.tryPromise({
        try: () => terminal.pour(text),
        catch: () => new Failure("The reader of the dump has gone.")
      })
    )
    if (!input.mode.quiet) terminal.err(`Wrote ${summary(rows)}.\n`)
    return { json: { file, rows }, text: "", isWritten: true }
  })

export const load: StorageRun = (input) =>
  Effect.gen(function* () {
    const file = input.argument("FILE")
    const pieces = piecesOf(file, input.terminal)[Symbol.asyncIterator]()
    const next = Effect.tryPromise({
      try: async () => {
        const { done, value } = await pieces.next()
        return done === true ? undefined : value
      },
      catch: (cause) => unreadable(file, cause)
    })
    const rows = yield* (yield* InstanceDump)
      .load(next, { live: input.switch("live") })
      .pipe(
        Effect.catchTag("InvalidInput", (error) =>
          Effect.fail(new Failure(`${file === "-" ? "Standard input" : file} ${error.reason}.`, "Nothing was loaded."))
        )
      )
    return { json: { file, rows }, text: `Loaded ${summary(rows)} from ${file === "-" ? "standard input" : file}.` }
  })

const piecesOf = (file: string, terminal: Terminal): AsyncIterable<Uint8Array> =>
  file === "-" ? terminal.inputPieces() : createReadStream(file)
