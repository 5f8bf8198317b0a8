import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { isRecord } from "./LenientArguments.ts"

const example = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

/**
 * What is wrong with a value that is no JSON-RPC message, to follow its subject; undefined if nothing is that the SDK
 * would not explain. The SDK itself names neither the field nor the value.
 */
export const messageProblem = (json: unknown): string | undefined => {
  if (Array.isArray(json)) return "must be one JSON-RPC message, and not a batch"
  if (!isRecord(json)) return `must be one JSON-RPC message, not ${shownValue(json)}. For example ${example}`
  const problem = fieldProblem(json)
  return problem && `must be one JSON-RPC message: ${problem}. For example ${example}`
}

const fieldProblem = ({ id, jsonrpc, method, params, ...others }: Readonly<Record<string, unknown>>) => {
  const isAnswer = "result" in others || "error" in others
  if (jsonrpc !== "2.0") return wrong("jsonrpc", '"2.0"', jsonrpc)
  if (typeof method !== "string" && !isAnswer) return wrong("method", "a string", method)
  if (id !== undefined && !isId(id)) return wrong("id", "a string or an integer", id)
  return paramsProblem(params)
}

const paramsProblem = (params: unknown): string | undefined => {
  if (params === undefined) return undefined
  if (!isRecord(params)) return wrong("params", "an object", params)
  const { _meta: meta } = params
  if (meta === undefined) return undefined
  if (!isRecord(meta)) return wrong("params._meta", "an object", meta)
  const { progressToken: token } = meta
  return token === undefined || isId(token)
    ? undefined
    : wrong("params._meta.progressToken", "a string or an integer", token)
}

/** Ids and progress tokens have the same form. */
const isId = (value: unknown): value is string | number => typeof value === "string" || Number.isSafeInteger(value)

const wrong = (field: string, wanted: string, sent: unknown): string =>
  sent === undefined
    ? `${field} is required, and must be ${wanted}`
    : `${field} must be ${wanted}, not ${shownValue(sent)}`
