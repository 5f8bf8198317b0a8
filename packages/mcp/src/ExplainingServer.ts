import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import { isRecord } from "./LenientArguments.ts"

type Handle = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/**
 * The SDK's server, except that a request with malformed `params` is answered with -32602 and one sentence. The SDK
 * answers most of these with -32603 and all issues of its validator as JSON. Handlers throw only protocol errors, so
 * any other error comes from the validator.
 */
export class ExplainingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handle): Handle {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        const found = firstIssue(error)
        if (found === undefined && error instanceof ProtocolError) throw error
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Malformed ${method}${found ?? ""}.`)
      }
    }
  }
}

/** The first issue of a validation error, whose message ends with a JSON array of issues. */
const firstIssue = (error: unknown): string | undefined => {
  const text = /\[\n.*\]$/s.exec(error instanceof Error ? error.message : "")?.[0]
  const issue = text === undefined ? undefined : (JSON.parse(text) as ReadonlyArray<unknown>)[0]
  if (!isRecord(issue) || !Array.isArray(issue["path"])) return undefined
  return `: ${issue["path"].join(".")}: ${String(issue["message"]).replace(/^Invalid input: /, "")}`
}
