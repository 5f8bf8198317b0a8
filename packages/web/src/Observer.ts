import { Context } from "effect"

/** An HTTP request that is over: answered, or given up by its client. */
export interface RequestEnd {
  readonly method: string
  /** The path of the route, such as `/api/v1/things/:id`; undefined where none matches. */
  readonly route: string | undefined
  readonly status: number
  readonly millis: number
  /** Whether it waited for something to happen, as a request for changes may. */
  readonly hasWaited: boolean
  readonly requestId: string
  /** The address of the client. */
  readonly client: string
}

/** A call of a tool that is over. */
export interface ToolEnd {
  readonly tool: string
  /** `refused` is an answer that explains what is wrong with the call. */
  readonly outcome: "ok" | "refused" | "failed"
  readonly millis: number
}

/** Is told of what the hosts did. What it does costs every request. */
export interface Observer {
  readonly request?: ((end: RequestEnd) => void) | undefined
  readonly tool?: ((end: ToolEnd) => void) | undefined
}

/** Named so that the context of a request, which has no services of this product, has it. */
export const Observer = Context.Reference<Observer>("lists-and-things/Observer", { defaultValue: () => ({}) })
