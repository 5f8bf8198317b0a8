import { isRecord } from "./LenientArguments.ts"

/**
 * Removes `params` that are null, and members of `params` that are null, from a message or a batch: serializers of
 * several languages write null for what is absent. Returns the value itself if there is nothing to remove.
 */
export const withoutNullParams = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutNullParams)
  if (!isRecord(json) || json["params"] === undefined) return json
  const { params, ...message } = json
  if (params === null) return message
  if (!isRecord(params) || !Object.values(params).includes(null)) return json
  return { ...message, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
}
