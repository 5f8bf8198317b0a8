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
 * The SDK's server, but a request whose `params` are malformed is answered with -32602 and one sentence. The SDK
 * answers most of them as failures of the server (-32603), with all that its validator found, as JSON. Handlers fail
 * with protocol errors alone, so whatever else is thrown is the validator's.
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

/** What the validator found first, of an error whose message ends with its issues. */
const firstIssue = (error: unknown): string | undefined => {
  const text = /\[\n.*\]$/s.exec(error instanceof Error ? error.message : "")?.[0]
  const issue = text === undefined ? undefined : (JSON.parse(text) as ReadonlyArray<unknown>)[0]
  if (!isRecord(issue) || !Array.isArray(issue["path"])) return undefined
  return `: ${issue["path"].join(".")}: ${String(issue["message"]).replace(/^Invalid input: /, "")}`
}
