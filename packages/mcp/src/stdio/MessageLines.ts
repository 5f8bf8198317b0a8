import { decodeUtf8, parseJsonText } from "@lists-and-things/domain/json/JsonText"
import { BodyBytes, maxBodyBytes } from "@lists-and-things/web/RequestBody"
import { parseJSONRPCMessage } from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import { withoutNullParams } from "../AbsentParams.ts"
import { messageProblem } from "../MessageProblem.ts"
import { LineEnds } from "./LongLine.ts"

/** The refusal of a line. `code` is one of JSON-RPC; `id` is that of the message, or null if it has no valid one. */
export interface LineRefusal {
  readonly code: -32_600 | -32_700
  readonly message: string
  readonly id: string | number | null
}

/**
 * The valid messages of a client, one per line, each ended by a newline. A line has the limits of a body over HTTP:
 * size, UTF-8 and depth (docs/decisions.md#text). Invalid lines go to `refuse`; blank ones are skipped.
 */
export async function* messageLines(
  input: AsyncIterable<Buffer>,
  refuse: (refusal: LineRefusal) => void
): AsyncGenerator<Buffer> {
  for await (const line of linesOf(input)) {
    // Parsing a long line yields to requests in progress.
    const read = await Effect.runPromise(Effect.result(readLine(line)))
    if (Result.isFailure(read)) refuse(read.failure)
    else if (read.success !== undefined) yield Buffer.from(`${read.success}\n`)
  }
}

/** Each line without its newline; in place of one that is too long its ends. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array | LineEnds> {
  let [line, ends, isTooLong] = [new BodyBytes(), new LineEnds(), false]
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length;) {
      const newline = chunk.indexOf(0x0a, from)
      const part = chunk.subarray(from, newline < 0 ? undefined : newline)
      isTooLong = line.add(part) !== undefined
      ends.add(part)
      if (newline < 0) break
      yield isTooLong ? ends : line.whole()
      ;[line, ends, isTooLong] = [new BodyBytes(), new LineEnds(), false]
      from = newline + 1
    }
  }
  yield isTooLong ? ends : line.whole()
}

/** The text of a line that is a message; undefined for a blank one. */
const readLine = Effect.fnUntraced(
  function* (line: Uint8Array | LineEnds) {
    if (line instanceof LineEnds)
      return yield* refusal(-32_600, `must be at most ${maxBodyBytes} bytes long`, line.requestId())
    const text = yield* decodeUtf8(line)
    if (text.trim() === "") return undefined
    const json = yield* parseJsonText(text, { anyString: true })
    const message = withoutNullParams(json)
    if (isMessage(message)) return message === json ? text : JSON.stringify(message)
    return yield* refusal(-32_600, messageProblem(message) ?? "must be one JSON-RPC message", idOf(json))
  },
  Effect.catchTag("InvalidInput", ({ reason }) => refusal(-32_700, reason))
)

const refusal = (
  code: LineRefusal["code"],
  reason: string,
  id: LineRefusal["id"] = null
): Effect.Effect<never, LineRefusal> => Effect.fail({ code, message: `A line ${reason}.`, id })

const isMessage = (json: unknown): boolean => {
  try {
    parseJSONRPCMessage(json)
    return true
  } catch {
    return false
  }
}

const idOf = (json: unknown): LineRefusal["id"] => {
  const id = typeof json === "object" && json !== null && "id" in json ? json.id : null
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null
}
