import { Effect, Result } from "effect"
import { parseJsonText } from "@lists-and-things/domain/json/JsonText"
import type { JsonSchema } from "./JsonSchema.ts"

/**
 * Repairs arguments: many clients send an array or an object as a string of JSON. Such a string is parsed where the
 * schema expects an array or an object, at any depth; everything else is unchanged.
 */
export const readJsonTexts = (schema: JsonSchema, value: unknown): unknown => {
  const wanted = schema["type"]
  if (wanted !== "array" && wanted !== "object") return value
  const read = typeof value === "string" ? parsed(value, wanted) : value
  if (Array.isArray(read) && wanted === "array" && isSchema(schema["items"])) {
    const items = schema["items"]
    return read.map((item) => readJsonTexts(items, item))
  }
  if (wanted !== "object" || !isRecord(read) || !isRecord(schema["properties"])) return read
  const properties = schema["properties"]
  return Object.fromEntries(
    Object.entries(read).map(([key, inner]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined
      return [key, isSchema(known) ? readJsonTexts(known, inner) : inner]
    })
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isSchema = (value: unknown): value is JsonSchema => isRecord(value)

/** The parsed value, or the string itself when it is not JSON of the expected kind. */
const parsed = (text: string, wanted: "array" | "object"): unknown => {
  if (!text.trimStart().startsWith(wanted === "array" ? "[" : "{")) return text
  const read = Effect.runSync(Effect.result(parseJsonText(text, { anyString: true })))
  return Result.isSuccess(read) ? read.success : text
}
