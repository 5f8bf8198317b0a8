import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import type { Terminal } from "./Terminal.ts"
import { isGzip } from "@lists-and-things/domain/backup/FileFormats"
import { Effect, Stream } from "effect"
import { withoutControls } from "./ControlCharacters.ts"
import { codeOf, Failure, reasonOf, UsageError } from "./Failure.ts"
import type { Input } from "./Input.ts"

const oneFile = "Name a file in it."

/**
 * The text of a file, or of standard input for `-`; UTF-8, without a byte order mark. `ofFolder` is the advice if it is
 * a folder.
 */
export const readText = (path: string, terminal: Terminal, ofFolder = oneFile): Effect.Effect<string, Failure> =>
  Effect.tryPromise({
    try: async () => {
      const bytes = await bytesOf(path, terminal)
      if (isGzip(bytes)) throw new Compressed()
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    },
    catch: (cause) => unreadable(path, cause, ofFolder)
  })

const bytesOf = (path: string, terminal: Terminal): Promise<Uint8Array> =>
  path === "-" ? terminal.readInput() : readFile(path)

/** Bytes of a piece of text. */
const pieceSize = 2 ** 20

/**
 * Like `readText`, in pieces, which can be read several times without having a whole file in memory. What is no file,
 * such as standard input, is read once and kept.
 */
export const readPieces = (path: string, terminal: Terminal): Effect.Effect<Stream.Stream<string, Failure>, Failure> =>
  Effect.tryPromise({
    try: async () => {
      if (path !== "-" && (await stat(path)).isFile()) return () => createReadStream(path, { highWaterMark: pieceSize })
      const bytes = await bytesOf(path, terminal)
      return () => slicesOf(bytes)
    },
    catch: (cause) => unreadable(path, cause)
  }).pipe(
    Effect.map((open) =>
      Stream.suspend(() => Stream.fromAsyncIterable(decoded(open()), (cause) => unreadable(path, cause)))
    )
  )

function* slicesOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceSize) yield bytes.subarray(from, from + pieceSize)
}

async function* decoded(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst && isGzip(piece)) throw new Compressed()
    isFirst = false
    yield decoder.decode(piece, { stream: true })
  }
  yield decoder.decode()
}

/** The file is compressed with gzip. */
class Compressed extends Error {}

/** The failure to report for a file, or standard input, that cannot be read as text. */
export const unreadable = (path: string, cause: unknown, ofFolder = oneFile): Failure => {
  const name = path === "-" ? "Standard input" : path
  if (cause instanceof Compressed)
    return new Failure(
      `${name} is compressed by gzip.`,
      "Unpack it on its way: gunzip -c FILE, and - in place of its name."
    )
  if (cause instanceof TypeError)
    return new Failure(`${name} is not UTF-8 text.`, "Convert it first, such as with iconv.")
  switch (codeOf(cause)) {
    case "ENOENT":
      return new Failure(`${name} does not exist.`)
    case "EISDIR":
      return new Failure(`${name} is a folder.`, ofFolder)
    case "EACCES":
      return new Failure(`${name} cannot be read: permission denied.`)
    default:
      return new Failure(`${name} cannot be read: ${reasonOf(cause)}`)
  }
}

/** Option of `confirm` for what `lat undo` can take back. */
export const undoable = { isFinal: false }

/** Asks for confirmation before a destructive command on a terminal; without a terminal `--yes` is required. */
export const confirm = (
  input: Input,
  what: string,
  { isFinal }: { readonly isFinal: boolean } = { isFinal: true }
): Effect.Effect<void, Failure | UsageError> =>
  Effect.suspend((): Effect.Effect<void, Failure | UsageError> => {
    if (input.switch("yes") || input.switch("dry-run")) return Effect.void
    const { terminal } = input
    if (!terminal.canAsk || input.mode.json) {
      const reason = isFinal ? `${what} cannot be undone` : what
      return Effect.fail(new UsageError(`${reason}: confirm with --yes`))
    }
    return Effect.flatMap(
      Effect.promise(() =>
        terminal.ask(withoutControls(isFinal ? `${what} cannot be undone. Go on? [y/N] ` : `${what}? [y/N] `))
      ),
      (answer) =>
        /^y(es)?$/i.test(answer?.trim() ?? "") ? Effect.void : Effect.fail(new Failure("Nothing was changed."))
    )
  })
