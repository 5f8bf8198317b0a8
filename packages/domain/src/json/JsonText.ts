import { Effect, Result } from "effect"
import { InvalidInput } from "../model/Errors.ts"
import { runSteps, runStepsSync, type Steps, yieldIfDue } from "../scheduling/Yielding.ts"
import { characters, storableText } from "../text/Characters.ts"
import { inFigures } from "../text/Wording.ts"
import { brokenAt } from "./JsonLines.ts"
import { pathText } from "./PathText.ts"

/** Maximum nesting depth; an array in an object is two levels. */
const maxDepth = 64
/** Far more than any operation accepts (500 things with all their fields), and small enough to reject quickly. */
const maxMembers = 5_000
const maxValues = 100_000
/**
 * Maximum UTF-16 units of a key. V8 gives all strings longer than 16,383 units the same hash if they have the same
 * length, so an object with many such keys would take quadratic time.
 */
const maxKeyLength = 10_000

export interface JsonTextOptions {
  readonly anyString?: boolean
}

const refusal = (reason: string, field = "The body") => new InvalidInput({ field, reason })

/** UTF-16 units beyond which a text is read in turns with other requests. */
const longText = 256 * 1024

/**
 * Parses bytes as JSON, strictly (docs/decisions.md#text): UTF-8 only, a leading BOM skipped, no U+0000 and no lone
 * surrogate in any string, at most 64 levels and a bounded number of values; the last of duplicate keys wins. Error
 * messages do not repeat the text. With `anyString`, the contents of strings are not checked; the caller does so per
 * field. A long text is read in turns with other requests.
 */
export const parseJsonBytes = (bytes: Uint8Array, options?: JsonTextOptions): Effect.Effect<unknown, InvalidInput> =>
  Effect.flatMap(decodeUtf8(bytes), (text) =>
    text.length > longText
      ? Effect.andThen(yieldIfDue, parseJsonText(text, options))
      : Effect.fromResult(readJsonText(text, options))
  )

/** The text of a body, without a leading BOM. */
export const decodeUtf8 = (bytes: Uint8Array): Effect.Effect<string, InvalidInput> => {
  try {
    return Effect.succeed(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return Effect.fail(refusal("must be valid UTF-8"))
  }
}

export const parseJsonText = (
  text: string,
  { anyString = false }: JsonTextOptions = {}
): Effect.Effect<unknown, InvalidInput> =>
  runSteps(() => problemIn(text, anyString)).pipe(
    Effect.tap(text.length > longText ? yieldIfDue : Effect.void),
    Effect.flatMap((problem) => Effect.fromResult(parsed(text, problem)))
  )

/** The same for a text that is known to be short, or that is read already. */
export const readJsonText = (
  text: string,
  { anyString = false }: JsonTextOptions = {}
): Result.Result<unknown, InvalidInput> => parsed(text, runStepsSync(problemIn(text, anyString)))

const parsed = (text: string, problem: Problem | undefined): Result.Result<unknown, InvalidInput> => {
  if (problem !== undefined) return Result.fail(refusal(problem.reason, problem.field))
  try {
    return Result.succeed(JSON.parse(text) as unknown)
  } catch (error) {
    const at = positionOf(error) ?? (text.length > longText ? undefined : brokenAt(text))
    return Result.fail(refusal(`must be valid JSON${at === undefined ? "" : `, which it is not ${placeOf(text, at)}`}`))
  }
}

/** The parser names the position of some errors. */
const positionOf = (error: unknown): number | undefined => {
  const at = /at position (\d+)/.exec(String(error))?.[1]
  return at === undefined ? undefined : Number(at)
}

const placeOf = (text: string, at: number): string =>
  at >= text.trimEnd().length ? "at its end" : `at character ${inFigures(characters(text.slice(0, at)) + 1)}`

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

interface Problem {
  readonly reason: string
  /** The field with the problem; omitted for the body as a whole. */
  readonly field?: string
}

/** UTF-16 units that are read in one step. */
const stepLength = 64 * 1024

/**
 * One pass before parsing, so that neither excessive depth nor an excessive number of values reaches the parser or a
 * schema. Syntax errors are left to the parser.
 */
function* problemIn(text: string, anyString: boolean): Steps<Problem | undefined> {
  if (text.trim() === "") return { reason: "is required and must be a JSON object" }
  /** Commas seen in each open array or object, by depth. */
  const members = new Uint32Array(maxDepth + 1)
  let depth = 0
  let values = 0
  /** Of the last string, which is a key where a colon follows. */
  let length = 0
  let step = stepLength
  for (let at = 0; at < text.length; at++) {
    if (at >= step) {
      step = at + stepLength
      yield
    }
    const code = text.charCodeAt(at)
    if (code === quote) {
      let end = endOfString(text, at + 1, anyString, step)
      while (end >= step && end < text.length && text.charCodeAt(end) !== quote) {
        step = end + stepLength
        yield
        end = endOfString(text, end, anyString, step)
      }
      if (end < 0) {
        yield
        return unstorable(text, at, -end)
      }
      length = end - at - 1
      at = end
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) return { reason: `must not nest deeper than ${maxDepth} levels` }
      members[depth] = 1
    } else if (code === 0x5d || code === 0x7d) {
      if (depth > 0) depth--
    } else if (code === comma && (++members[depth]! > maxMembers || ++values > maxValues)) {
      return { reason: "must not hold that many values: things and ids are at most 500 a call" }
    } else if (code === colon && length > maxKeyLength) {
      return { reason: `must not hold names of fields that are longer than ${inFigures(maxKeyLength)} characters` }
    }
  }
  return undefined
}

/** `escape` is the offset of the first escape that cannot be stored, in the string that begins at `string`. */
const unstorable = (text: string, string: number, escape: number): Problem => {
  const path = pathOf(text, string)
  if (path === "") return { reason: "must not contain U+0000 or lone surrogates in its strings" }
  const at = inFigures(characters(unescaped(text.slice(string + 1, escape))) + 1)
  const found = text.slice(escape, escape + 6)
  return { field: path, reason: `must be ${storableText}, but has ${found} as its character ${at}` }
}

/** The path of the string that begins at `string`, such as `items[37].text`; a second pass, only for rejected input. */
const pathOf = (text: string, string: number): string => {
  const path: Array<string | number> = []
  let last = 0
  for (let at = 0; at < string; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      last = at
      at = endOfString(text, at + 1, true)
    } else if (code === 0x5b) path.push(0)
    else if (code === 0x7b) path.push("")
    else if (code === 0x5d || code === 0x7d) path.pop()
    else if (code === colon) path[path.length - 1] = keyAt(text, last)
    else if (code === comma) {
      const top = path.at(-1)
      path[path.length - 1] = typeof top === "number" ? top + 1 : ""
    }
  }
  return pathText(path.at(-1) === "" ? [...path.slice(0, -1), "a key"] : path)
}

const keyAt = (text: string, quoted: number): string =>
  unescaped(text.slice(quoted + 1, Math.min(endOfString(text, quoted + 1, true), quoted + 1_000)))

/** What a string of JSON means, without its quotes; itself if it is not valid. */
const unescaped = (written: string): string => {
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return written
  }
}

/**
 * The offset at which the string that continues at `from` ends, or at or after `to` the offset at which it continues;
 * the negative offset of an escape that cannot be stored.
 */
const endOfString = (text: string, from: number, anyString: boolean, to = text.length): number => {
  let at = from
  for (; at < to && at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code !== backslash) continue
    const escaped = anyString ? undefined : unicodeEscape(text, at)
    if (escaped === undefined) at += 1
    else if (escaped === 0) return -at
    else if (escaped >= 0xdc00 && escaped <= 0xdfff) return -at
    else if (escaped >= 0xd800 && escaped <= 0xdbff) {
      const low = unicodeEscape(text, at + 6)
      if (low === undefined || low < 0xdc00 || low > 0xdfff) return -at
      at += 11
    } else at += 5
  }
  return at
}

/** The code unit of a `\uXXXX` at this offset; undefined when there is none. */
const unicodeEscape = (text: string, at: number): number | undefined => {
  if (text.charCodeAt(at) !== backslash || text.charCodeAt(at + 1) !== 0x75) return undefined
  const digits = text.slice(at + 2, at + 6)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
}
