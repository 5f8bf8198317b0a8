import { counted } from "@lists-and-things/domain/text/Wording"
import { type DumpCounts, InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect } from "effect"
import { createReadStream, statSync } from "node:fs"
import { writeAtomically } from "../AtomicFile.ts"
import type { StorageRun } from "../Command.ts"
import { Failure } from "../Failure.ts"
import { sizeText } from "../Output.ts"
import type { Progress } from "../Progress.ts"
import { unreadable } from "../StandardInput.ts"
import type { Terminal } from "../Terminal.ts"

const summary = (counts: DumpCounts): string =>
  `${counted(counts["accounts"] ?? 0, "account")}, ${counted(counts["lists"] ?? 0, "list")} and ${counted(counts["things"] ?? 0, "thing")}`

/** Shows how much was written or read so far, in characters or bytes; the returned function adds an amount. */
const reporting = (progress: Progress, what: string, of = "") => {
  let total = 0
  progress.begin(what)
  return <A>(amount: number, piece: A): A => {
    total += amount
    progress.at(`${sizeText(total)}${of}`)
    return piece
  }
}

export const dump: StorageRun = (input) =>
  Effect.gen(function* () {
    const file = input.argument("FILE")
    const { progress, terminal } = input
    const instance = yield* InstanceDump
    const report = reporting(progress, "Dumping")
    if (file !== "-") {
      const rows = yield* writeAtomically(file, (append) => instance.dump((text) => report(text.length, append(text))))
      return { json: { file, rows }, text: `Wrote ${summary(rows)} to ${file}.`, quiet: file }
    }
    if (terminal.outIsTerminal) {
      return yield* Effect.fail(
        new Failure("A dump holds secrets and is not for a terminal.", "Name a file, or use a pipe.")
      )
    }
    const pour = (text: string) =>
      Effect.tryPromise({
        try: () => terminal.outWhenReady(text),
        catch: () => new Failure("The reader of the dump has gone.")
      })
    const rows = yield* instance.dump((text) => report(text.length, pour(text)))
    if (!input.mode.quiet) terminal.err(`Wrote ${summary(rows)}.\n`)
    return { json: { file, rows }, text: "", isWritten: true }
  })

export const load: StorageRun = (input) =>
  Effect.gen(function* () {
    const file = input.argument("FILE")
    const pieces = piecesOf(file, input.terminal)[Symbol.asyncIterator]()
    const report = reporting(input.progress, "Loading", sizeOf(file))
    const next = Effect.tryPromise({
      try: async () => {
        const { done, value } = await pieces.next()
        return done === true ? undefined : report(value.length, value)
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

/** ` of 12.0 MiB`; empty for standard input, and for a missing file, which fails when it is read. */
const sizeOf = (file: string): string => {
  try {
    return file === "-" ? "" : ` of ${sizeText(statSync(file).size)}`
  } catch {
    return ""
  }
}

/** A generator, so that the file is opened when the first piece is read: nobody would handle an earlier error. */
async function* piecesOf(file: string, terminal: Terminal): AsyncGenerator<Uint8Array> {
  yield* file === "-" ? terminal.inputPieces() : createReadStream(file)
}
