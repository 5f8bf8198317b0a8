import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { WithShown } from "@lists-and-things/domain/json/JsonEncoding"
import type { Pending } from "@lists-and-things/domain/scheduling/Pending"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import type { Api } from "../api/Api.ts"
import type { Tagged, WriteConditions } from "./Conditional.ts"

export type Groups = (typeof Api)["groups"]

/** What a handler returns: the body that its operation declares as success, possibly with an entity tag. */
type Answer<A> = A | Tagged<A> | Tagged<Uint8Array> | Pending<A, HttpError>

type Called<E> = Omit<HttpApiEndpoint.RequestRaw<E>, "endpoint" | "group"> & {
  /** A body that is a document is decoded into fields like any other. */
  readonly payload: Exclude<HttpApiEndpoint.Payload<E>["Type"], string>
}

/** The handlers of a group, by operation; a tagged body may be encoded already. */
export type Operations<G extends keyof Groups> = {
  readonly [Id in keyof Groups[G]["endpoints"]]: (
    input: Called<Groups[G]["endpoints"][Id]>
  ) => Answering<Answer<WithShown<HttpApiEndpoint.Success<Groups[G]["endpoints"][Id]>["Type"]>>>
}

export type Answering<A> = Effect.Effect<A, HttpError, Caller> | Prepared<A>

/** A write that waits for the network before its transaction begins: `ready` succeeds with the write itself. */
export class Prepared<A> {
  readonly ready: Effect.Effect<Effect.Effect<A, HttpError, Caller>, HttpError, Caller>
  constructor(ready: Prepared<A>["ready"]) {
    this.ready = ready
  }
}

/**
 * A write by one statement, outside of a transaction; undefined, with nothing written, if that cannot meet its conditions.
 */
type SingleStatement<Input, Seen> = (
  input: Input,
  seen: Seen,
  conditions: WriteConditions
) => Effect.Effect<Tagged<unknown> | undefined, HttpError, Caller>

export const withSingleStatement = <Input, Output>(
  write: (input: Input) => Output,
  singleStatement: SingleStatement<Input, undefined>
): ((input: Input) => Output) => Object.assign((input: Input) => write(input), { singleStatement })

/** A write that reads something before it has its body, while its request is admitted. */
interface Prefetching<Input, Seen, Output> {
  (input: Input): Output
  readonly prefetch: (input: Omit<Input, "payload">) => Effect.Effect<Seen, HttpError, Caller>
  readonly write: (input: Input, seen: Seen) => Output
}

export const prefetching = <Input, Seen, A, E, R>(
  prefetch: Prefetching<Input, Seen, unknown>["prefetch"],
  write: (input: Input, seen: Seen) => Effect.Effect<A, E, R>,
  singleStatement: SingleStatement<Input, Seen>
): Prefetching<Input, Seen, Effect.Effect<A, E | HttpError, R | Caller>> =>
  Object.assign((input: Input) => Effect.flatMap(prefetch(input), (seen) => write(input, seen)), {
    prefetch,
    write,
    singleStatement
  })

/** A handler as it is served, for any operation. */
export interface Operation extends Partial<Omit<Prefetching<object, unknown, unknown>, "write">> {
  (input: object): Answering<unknown>
  readonly write?: (input: object, seen: unknown) => Answering<unknown>
  readonly singleStatement?: SingleStatement<object, unknown>
}

/** The parts of a request that every handler gets. */
export interface Input {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params?: { readonly id?: string }
  readonly query?: { readonly dry_run?: boolean }
}

/** The read or write of an operation, after any waiting that it needs. */
export const readied = (answering: Answering<unknown>): Prepared<unknown>["ready"] =>
  answering instanceof Prepared ? answering.ready : Effect.succeed(answering)
