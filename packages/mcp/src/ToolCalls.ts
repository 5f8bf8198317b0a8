import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Cause, Effect } from "effect"
import { Caller, type Refusal } from "@lists-and-things/domain/model/Caller"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { Observer, type ToolEnd } from "@lists-and-things/web/Observer"
import type { Session } from "./Authenticator.ts"
import { allTools, offered } from "./Toolbox.ts"
import { suggestedTool } from "./ToolSuggestions.ts"
import type { Tool, ToolServices } from "./Tool.ts"
import { explain, unexpectedError } from "./results/ToolErrors.ts"

/**
 * Runs one `tools/call`. Every outcome of a tool, failures included, is a result that the model can read; only an
 * unknown tool name is a protocol error.
 */
export const callTool = Effect.fnUntraced(function* (
  tools: ReadonlyArray<Tool>,
  session: Session,
  name: string,
  args: unknown
): Effect.fn.Return<CallToolResult, ProtocolError, ToolServices> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) return yield* Effect.fail(unknownTool(tools, name))
  const { tool: ended } = yield* Observer
  const began = performance.now()
  let outcome: ToolEnd["outcome"] = "ok"
  return yield* admitted(session, tool, tool.call(args)).pipe(
    Effect.map((json) => success(json, session)),
    Effect.catch((error) => {
      outcome = "refused"
      return Effect.flatMap(offeredTo(session, tools), (shown) =>
        Effect.map(explain(tool, args, error, shown), failure)
      )
    }),
    Effect.catchCause((cause) => {
      outcome = "failed"
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`The tool ${tool.name} failed`, cause), failure(unexpectedError(tool)))
    }),
    Effect.ensuring(Effect.sync(() => ended?.({ tool: tool.name, outcome, millis: performance.now() - began })))
  )
})

/** The tools that an error may advise the client to call. */
const offeredTo = (session: Session, tools: ReadonlyArray<Tool>): Effect.Effect<ReadonlyArray<Tool>> =>
  session.identify.pipe(
    Effect.map(({ scopes }) => offered(tools, session.kind, scopes)),
    Effect.orElseSucceed(() => tools)
  )

/** For a tool that reads with its admission, a refused admission takes precedence over whatever the tool answered. */
const admitted = <A, E, R>(
  session: Session,
  { readsWithAdmission, scopes }: Tool,
  answer: Effect.Effect<A, E, R | Caller>
): Effect.Effect<A, E | Refusal, Exclude<R, Caller>> => {
  const deferred = readsWithAdmission === true ? session.deferAdmission?.(scopes) : undefined
  return deferred === undefined
    ? Effect.flatMap(session.admit(scopes), (caller) => Effect.provideService(answer, Caller, caller))
    : Effect.flatMap(Effect.exit(Effect.provideService(answer, Caller, deferred)), (exit) =>
        Effect.andThen(deferred.admitted, exit)
      )
}

const success = (json: string, { long }: Session): CallToolResult => ({
  content: [{ type: "text", text: long?.text(json) ?? json }],
  structuredContent: long?.object(json) ?? (JSON.parse(json) as Record<string, unknown>)
})

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

const unknownTool = (tools: ReadonlyArray<Tool>, name: string): ProtocolError => {
  const shown = JSON.stringify(firstCharacters(name, 80))
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${shown}.${alternativesTo(name, tools)}`)
}

const alternativesTo = (name: string, tools: ReadonlyArray<Tool>): string => {
  if (allTools.some((tool) => tool.name === name))
    return " The owner has left it out here: do without it, or ask the user."
  // Not only the tool's name: without an id it would take back one change more.
  if (/^redo/i.test(name) && tools.some((tool) => tool.name === "undo"))
    return " Call undo with the operation_id of the undo: that redoes what it took back."
  const near = suggestedTool(
    name,
    tools.map((tool) => tool.name)
  )
  return near === undefined ? "" : ` Did you mean ${near}?`
}
