import { isRecord } from "./LenientArguments.ts"

/**
 * A message, or a batch of them, without `params`, and without `arguments` in them, where they are null: the
 * serializers of several languages write so what is absent. The value itself where there is nothing to leave out.
 */
export const withoutNullParams = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutNullParams)
  if (!isRecord(json)) return json
  const message = without(json, "params")
  const params = message["params"]
  if (!isRecord(params) || params["arguments"] !== null) return message
  return { ...message, params: without(params, "arguments") }
}

const without = (fields: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> => {
  if (fields[name] !== null) return fields
  const { [name]: _null, ...others } = fields
  return others
}
