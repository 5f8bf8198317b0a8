import { Context } from "effect"

/** A finished HTTP request: answered, or abandoned by its client. */
export interface RequestEnd {
  readonly method: string
  /** Path of the route, such as `/api/v1/things/:id`; undefined if none matches. */
  readonly route: string | undefined
  readonly status: number
  readonly millis: number
  /** Whether it was a long poll, which may wait for changes. */
  readonly hasWaited: boolean
  readonly requestId: string
  /** The address of the client. */
  readonly client: string
}

/** A finished call of a tool. */
export interface ToolEnd {
  readonly tool: string
  /** `refused` is an answer that explains what is wrong with the call. */
  readonly outcome: "ok" | "refused" | "failed"
  readonly millis: number
}

/** Called by the hosts after each request and each tool call. Its cost is added to every request. */
export interface Observer {
  readonly request?: ((end: RequestEnd) => void) | undefined
  readonly tool?: ((end: ToolEnd) => void) | undefined
}

/** The name lacks the prefix of this product's services, which the HTTP host removes from the context of a request. */
export const Observer = Context.Reference<Observer>("lists-and-things/Observer", { defaultValue: () => ({}) })
