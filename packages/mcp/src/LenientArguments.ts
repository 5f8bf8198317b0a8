import { Result } from "effect"
import { readJsonText } from "@lists-and-things/domain/json/JsonText"
import type { JsonSchema } from "./JsonSchema.ts"

/**
 * Repairs arguments where it is safe, at any depth; everything else is unchanged, and judged by the decoder:
 *
 * - an array or an object that was sent as a text of JSON is parsed;
 * - where an array is expected, a single value is an array of one, and a text of tags, ids or weekdays is split at
 *   commas, one that begins with `#` before each further one, too;
 * - where true or false or a number is expected, the text of one is read;
 * - what may be left out and is null is left out: models that must give every argument mean that by it.
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

/** Arguments whose items have no comma in them. */
const separable: ReadonlySet<string> = new Set(["tags", "ids", "days"])

const lenientArray = (schema: JsonSchema, value: unknown, name: string): unknown => {
  const read = typeof value === "string" ? parsed(value, value.trimStart().startsWith("{") ? "{" : "[") : value
  // What begins as an array of JSON and is none is refused, not taken for a value.
  const isBroken = typeof read === "string" && read.trimStart().startsWith("[")
  const itemSchema = schema["items"]
  const isOne = !isBroken && isSchema(itemSchema) && (itemSchema["type"] === "object") === isRecord(read)
  const items = Array.isArray(read) ? read : isOne ? single(read, name) : undefined
  return items === undefined || !isSchema(itemSchema) ? (items ?? read) : items.map((item) => lenient(itemSchema, item))
}

/** An array in place of what is none; undefined where it is not clear. */
const single = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  if (value === null) return undefined
  if (typeof value !== "string") return [value]
  const text = value.trimStart().startsWith("#") ? value.replaceAll(/\s#/g, ",#") : value
  const parts = separable.has(name) ? text.split(",").map((part) => part.trim()) : [value]
  return parts.filter((part) => part !== "")
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

/** The arguments that were null. */
export const nullArguments = (given: unknown): ReadonlyArray<string> =>
  isRecord(given) ? Object.keys(given).filter((key) => given[key] === null) : []

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isSchema = (value: unknown): value is JsonSchema => isRecord(value)

/** The parsed value, or the text itself when it is not JSON of that kind. */
const parsed = (text: string, first: "[" | "{"): unknown => {
  if (!text.trimStart().startsWith(first)) return text
  const read = readJsonText(text, { anyString: true })
  return Result.isSuccess(read) ? read.success : text
}
