import { Result } from "effect"
import { readJsonText } from "@lists-and-things/domain/json/JsonText"
import { caps } from "@lists-and-things/domain/model/Caps"
import type { JsonSchema } from "./JsonSchema.ts"

/**
 * Repairs arguments where that is safe, at any depth; everything else is left to the decoder:
 *
 * - an array or an object that was sent as JSON text is parsed;
 * - where an array is expected, a single value becomes an array of one. A text of tags, ids or weekdays is split at
 *   commas, and also before each further `#` if it begins with one;
 * - where a boolean or a number is expected, its text is converted;
 * - an optional argument that is null is left out: models that must give every argument mean that by null.
 */
export const lenient = (schema: JsonSchema, value: unknown, name = ""): unknown => {
  switch (schema["type"]) {
    case "array":
      return lenientArray(schema, value, name)
    case "object":
      return lenientObject(schema, typeof value === "string" ? parsed(value, "{") : value)
    case "boolean":
      return typeof value === "string" ? (booleans.get(value.trim().toLowerCase()) ?? value) : value
    case "integer":
    case "number":
      return typeof value === "string" && /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(value.trim()) ? Number(value) : value
    default:
      return value
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false]
])

/**
 * The most items of an array that is sent as text; no argument takes more, and the limit on the values of a body does not
 * cover what is within its texts. Of a longer array the decoder gets one more, which it refuses for their number; a longer
 * text of parts as it is.
 */
const maxItems = caps.items

/** Arguments whose items have no comma in them. */
const separable: ReadonlySet<string> = new Set(["tags", "ids", "days"])

const lenientArray = (schema: JsonSchema, value: unknown, name: string): unknown => {
  const sent = typeof value === "string" ? parsed(value, value.trimStart().startsWith("{") ? "{" : "[") : value
  const read = typeof value === "string" && Array.isArray(sent) ? sent.slice(0, maxItems + 1) : sent
  // Text that begins like a JSON array but is not valid is left to the decoder, which refuses it.
  const isBroken = typeof read === "string" && read.trimStart().startsWith("[")
  const itemSchema = schema["items"]
  const isOne = !isBroken && isSchema(itemSchema) && (itemSchema["type"] === "object") === isRecord(read)
  const items = Array.isArray(read) ? read : isOne ? single(read, name) : undefined
  return items === undefined || !isSchema(itemSchema) ? read : items.map((item) => lenient(itemSchema, item))
}

/** The value as an array; undefined for null, and for a text with too many parts. */
const single = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  if (value === null) return undefined
  if (typeof value !== "string") return [value]
  const separator = value.trimStart().startsWith("#") ? /,|\s(?=#)/ : ","
  const parts = separable.has(name) ? value.split(separator, maxItems + 1).map((part) => part.trim()) : [value]
  return parts.length > maxItems ? undefined : parts.filter((part) => part !== "")
}

const lenientObject = (schema: JsonSchema, value: unknown): unknown => {
  if (!isRecord(value) || !isRecord(schema["properties"])) return value
  const { properties, required } = schema
  const isNeeded = (key: string) => Array.isArray(required) && required.includes(key)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined
      if (!isSchema(known)) return [[key, inner]]
      return inner === null && !isNeeded(key) ? [] : [[key, lenient(known, inner, key)]]
    })
  )
}

/** The names of the arguments that were null. */
export const nullArguments = (given: unknown): ReadonlyArray<string> =>
  isRecord(given) ? Object.keys(given).filter((key) => given[key] === null) : []

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of an object; none of another value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

const isSchema = (value: unknown): value is JsonSchema => isRecord(value)

/** The parsed value, or the text itself if it is not valid JSON that begins with `first`. */
const parsed = (text: string, first: "[" | "{"): unknown => {
  if (!text.trimStart().startsWith(first)) return text
  const read = readJsonText(text, { anyString: true })
  return Result.isSuccess(read) ? read.success : text
}
