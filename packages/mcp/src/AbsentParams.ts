import { isRecord } from "./LenientArguments.ts"

/**
 * A message, or a batch of them, without `params` and whatever of them is null: the serializers of several languages
 * write so what is absent. The value itself where there is nothing to leave out.
 */
export const withoutNullParams = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutNullParams)
  if (!isRecord(json) || json["params"] === undefined) return json
  const { params, ...message } = json
  if (params === null) return message
  if (!isRecord(params) || !Object.values(params).includes(null)) return json
  return { ...message, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
}
