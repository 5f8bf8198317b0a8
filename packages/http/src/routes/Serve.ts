import { Effect, Layer, SchemaAST } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { callBy, CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { IdempotencyRecords, orUndecided } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { asInQuery } from "@lists-and-things/domain/json/Decode"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { shownValue, withoutSecrets } from "@lists-and-things/domain/json/ShownValue"
import { nearest } from "@lists-and-things/domain/text/Nearest"
import { jsonPieces, piecesOfText, type WithShown } from "@lists-and-things/domain/json/JsonEncoding"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import { runSteps, type Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { Api } from "../api/Api.ts"
import { annotationOf, Changing, Conditional, Configuring, TaggedBy } from "../api/Operation.ts"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { Admission, type Input as Decoded } from "../edge/Admission.ts"
import { respondTo } from "../edge/ErrorResponses.ts"
import { Routes } from "../edge/Routes.ts"
import { encodeSteps, ofChunks } from "../edge/Chunks.ts"
import { expectedBy, isCurrent, notModified, withTag } from "../edge/EntityTagHeaders.ts"
import { pendingAnswer } from "../edge/PendingAnswer.ts"
import { Tagged, type Terms, untagged } from "./Conditional.ts"
import { payloadOf } from "./Payload.ts"

type Groups = (typeof Api)["groups"]

/** What a handler returns: the body of the success that the operation declares, which may have an entity tag. */
type Answer<A> = A | Tagged<A> | Tagged<Uint8Array> | Pending<A, HttpError>

type Called<E> = Omit<HttpApiEndpoint.RequestRaw<E>, "endpoint" | "group"> & {
  /** A document that is the body itself is decoded as the other fields are. */
  readonly payload: Exclude<HttpApiEndpoint.Payload<E>["Type"], string>
}

/** Handlers by operation of a group; a body that is tagged may be encoded already. */
export type Operations<G extends keyof Groups> = {
  readonly [Id in keyof Groups[G]["endpoints"]]: (
    input: Called<Groups[G]["endpoints"][Id]>
  ) => Answering<Answer<WithShown<HttpApiEndpoint.Success<Groups[G]["endpoints"][Id]>["Type"]>>>
}

type Answering<A> = Effect.Effect<A, HttpError, Caller> | Prepared<A>

/** A write that waits for the network before its transaction begins: `ready` ends with the write itself. */
export class Prepared<A> {
  readonly ready: Effect.Effect<Effect.Effect<A, HttpError, Caller>, HttpError, Caller>
  constructor(ready: Prepared<A>["ready"]) {
    this.ready = ready
  }
}

/**
 * Serves the operations of a group from their declarations: the endpoint determines how the body is decoded, the
 * status and media type of the answer, and whether a write accepts an `Idempotency-Key` or an `If-Match`, and a read an
 * `If-None-Match`. `ErrorResponses` maps errors to answers.
 */
export const serve = <G extends keyof Groups & string, R>(
  group: G,
  operations: Effect.Effect<Operations<G>, never, R>
): Layer.Layer<never, never, R | Admission | Routes | ServeServices> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const routes = yield* Routes
      const admission = yield* Admission
      const services: Services = {
        records: yield* IdempotencyRecords,
        tags: yield* EntityTags,
        preconditions: yield* Preconditions,
        dryRuns: yield* DryRuns
      }
      const served = (yield* operations) as unknown as Readonly<Record<string, Operation>>
      for (const endpoint of Object.values<HttpApiEndpoint.Top>(Api.groups[group].endpoints)) {
        const operation = handlerOf(endpoint, served[endpoint.identifier]!, services)
        routes.serve(endpoint.method, endpoint.path, admission.before(endpoint, operation))
      }
    })
  )

/** A write in one step, outside of a transaction; undefined, with nothing written, where that cannot keep its terms. */
type AtOnce<Input, Seen> = (
  input: Input,
  seen: Seen,
  terms: Terms
) => Effect.Effect<Tagged<unknown> | undefined, HttpError, Caller>

export const orAtOnce = <Input, Output>(
  write: (input: Input) => Output,
  atOnce: AtOnce<Input, undefined>
): ((input: Input) => Output) => Object.assign((input: Input) => write(input), { atOnce })

/** A write that sees something before it has its body: while its request is admitted. */
interface Seeing<Input, Seen, Output> {
  (input: Input): Output
  readonly see: (input: Omit<Input, "payload">) => Effect.Effect<Seen, HttpError, Caller>
  readonly write: (input: Input, seen: Seen) => Output
}

export const seeing = <Input, Seen, A, E, R>(
  see: Seeing<Input, Seen, unknown>["see"],
  write: (input: Input, seen: Seen) => Effect.Effect<A, E, R>,
  atOnce: AtOnce<Input, Seen>
): Seeing<Input, Seen, Effect.Effect<A, E | HttpError, R | Caller>> =>
  Object.assign((input: Input) => Effect.flatMap(see(input), (seen) => write(input, seen)), { see, write, atOnce })

interface Operation extends Partial<Omit<Seeing<object, unknown, unknown>, "write">> {
  (input: object): Answering<unknown>
  readonly write?: (input: object, seen: unknown) => Answering<unknown>
  readonly atOnce?: AtOnce<object, unknown>
}
type Request = HttpServerRequest.HttpServerRequest

/** What serves every operation, beside its handler. */
export type ServeServices = IdempotencyRecords | EntityTags | Preconditions | DryRuns

interface Services {
  readonly records: IdempotencyRecords["Service"]
  readonly tags: EntityTags["Service"]
  readonly preconditions: Preconditions["Service"]
  readonly dryRuns: DryRuns["Service"]
}

interface Input {
  readonly request: Request
  readonly params?: { readonly id?: string }
  readonly query?: { readonly dry_run?: boolean }
}

/** The read or write of an operation, which has waited for what it waits for. */
const readied = (answering: Answering<unknown>): Prepared<unknown>["ready"] =>
  answering instanceof Prepared ? answering.ready : Effect.succeed(answering)

const handlerOf = (endpoint: HttpApiEndpoint.Top, operation: Operation, services: Services) => {
  const serve =
    endpoint.method === "GET" ? reader(endpoint, operation, services) : writer(endpoint, operation, services)
  if (annotationOf(endpoint.annotations, Changing) !== true) return (input: Decoded) => serve(input as Input)
  return (input: Decoded) => recorded(endpoint.identifier, input, serve(input as Input))
}

const reader = (endpoint: HttpApiEndpoint.Top, operation: Operation, { tags }: Services) => {
  const { respondInChunks } = answerOf(endpoint)
  const isTaggedByAccount = annotationOf(endpoint.annotations, TaggedBy) === "account"
  /** The account's tag is as old as the admission of the request, whenever it is asked for. */
  const taggedByAccount = (request: Request, read: Effect.Effect<unknown, HttpError, Caller>) => {
    const tagged = Effect.flatMap(read, (value) => Effect.map(tags.ofAccount, (tag) => new Tagged(value, tag)))
    if (request.headers["if-none-match"] === undefined) return tagged
    return Effect.flatMap(tags.ofAccount, (tag) =>
      isCurrent(request.headers, tag) ? Effect.succeed(new Tagged(undefined, tag)) : tagged
    )
  }
  return (input: Input) => {
    const answering = operation(input)
    const read = answering instanceof Prepared ? Effect.flatten(answering.ready) : answering
    const answer = isTaggedByAccount ? taggedByAccount(input.request, read) : read
    return respondInChunks(input.request, answer)
  }
}

const writer = (endpoint: HttpApiEndpoint.Top, operation: Operation, { dryRuns, preconditions, records }: Services) => {
  const payload = payloadOf(endpoint)
  const { atOnce, see, write = operation } = operation
  const { encode, respond } = answerOf(endpoint)
  const kind = annotationOf(endpoint.annotations, Conditional)
  const isStrict =
    annotationOf(endpoint.annotations, Changing) === true || annotationOf(endpoint.annotations, Configuring) === true
  const refusalOf = isStrict ? refusalOfOthers(queryOf(endpoint)) : () => undefined
  const expectedOf = ({ request }: Input) => (kind === undefined ? Effect.undefined : expectedBy(request.headers))
  const conditional = (input: Input, write: Effect.Effect<unknown, HttpError, Caller>) => {
    if (kind === undefined || input.request.headers["if-match"] === undefined) return Effect.succeed(write)
    const subject = { kind, id: input.params?.id ?? "", isRemoval: endpoint.method === "DELETE" }
    return Effect.map(expectedOf(input), (expected) =>
      expected === undefined ? write : preconditions.ifMatch(subject, expected, write)
    )
  }
  const isPlain = ({ query, request: { headers } }: Input, answering: Answering<unknown>) =>
    query?.dry_run !== true &&
    headers["idempotency-key"] === undefined &&
    headers["if-match"] === undefined &&
    !(answering instanceof Prepared)
  return (input: Input) => {
    const { request } = input
    const isDryRun = input.query?.dry_run === true
    let tag: string | undefined
    const encoded = (answer: unknown) => {
      const known = untagged(answer)
      tag = known.tag
      return encode(known.value)
    }
    const run = (seen: unknown, payload: unknown, body: unknown) => {
      const answering = write({ ...input, payload }, seen)
      if (isPlain(input, answering)) return Effect.map(answering as Effect.Effect<unknown, HttpError, Caller>, encoded)
      const conditioned = Effect.flatMap(readied(answering), (write) => conditional(input, write))
      if (isDryRun)
        return Effect.flatMap(conditioned, (write) =>
          Effect.map(dryRuns.of(write), (dryRun) => JSON.stringify(dryRunJson(dryRun)))
        )
      const answered = Effect.map(conditioned, (write) => Effect.map(write, encoded))
      const attempt =
        atOnce &&
        ((keyed?: KeyedWrite) =>
          Effect.flatMap(expectedOf(input), (expected) =>
            Effect.map(atOnce({ ...input, payload }, seen, { keyed, expected }), (answer) => answer && encoded(answer))
          ))
      return once(
        records,
        request,
        body,
        answering instanceof Prepared ? new Prepared(answered) : Effect.flatten(answered),
        attempt
      )
    }
    const ran = (seen: unknown) =>
      payload === undefined
        ? run(seen, undefined, undefined)
        : Effect.flatMap(payload(input), ({ body, decoded }) => run(seen, decoded, body))
    const refusal = refusalOf(request)
    if (refusal !== undefined) return respondTo(refusal)
    const answered = see === undefined ? ran(undefined) : Effect.flatMap(see(input), ran)
    const wellFormed =
      request.headers["if-match"] === undefined ? answered : Effect.andThen(expectedOf(input), answered)
    return respond(wellFormed, () => tag, isDryRun ? 200 : undefined)
  }
}

/** The names of the query parameters that an operation declares. */
const queryOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const ast = endpoint.query?.ast
  return ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Refuses a query parameter that a write does not have: a misspelt `dry_run` must not delete anything. */
const refusalOfOthers =
  (known: ReadonlyArray<string>) =>
  ({ url }: Request): InvalidInput | undefined => {
    const start = url.indexOf("?")
    if (start < 0) return undefined
    const other = [...new URLSearchParams(url.slice(start + 1)).keys()].find((name) => !known.includes(name))
    if (other === undefined) return undefined
    const near = nearest(other, known)
    const hint = known.length === 0 ? "this operation has none" : `known is ${known.join(", ")}`
    return new InvalidInput({
      field: truncate(withoutSecrets(other), 80),
      reason: `is not a known query parameter: ${near === undefined ? hint : `did you mean ${near}?`}`,
      ...(near === "dry_run" && { example: "dry_run=true" })
    })
  }

type Response = HttpServerResponse.HttpServerResponse

/** Serves a request as one call, whose answer names the operation that it left, or that it repeats. */
const recorded = <R>(
  name: string,
  { caller, request }: Decoded,
  answer: Effect.Effect<Response, never, R>
): Effect.Effect<Response, never, R> => {
  const call = callBy(caller, name, "rest", request.headers["idempotency-key"])
  return Effect.map(Effect.provideService(answer, CurrentOperation, call), (response) => named(call, response))
}

const named = ({ notice, recorded }: OperationCall, response: Response): Response =>
  HttpServerResponse.setHeaders(response, {
    ...(recorded !== undefined && { "x-operation-id": recorded }),
    ...(notice !== undefined && response.status < 400 && { "x-notice": inAscii(notice) })
  })

const inAscii = (text: string): string => text.replaceAll(/[^\u0020-\u007e]/g, "?")

const statusOf = SchemaAST.resolveAt<number>("httpApiStatus")
const encodingOf = SchemaAST.resolveAt<{ readonly _tag: string; readonly contentType: string }>("~httpApiEncoding")

function* jsonChunks(value: object): Steps<ReadonlyArray<Uint8Array>> {
  return yield* encodeSteps(yield* jsonPieces(value))
}

/** The encoder of the declared success. */
const answerOf = (endpoint: HttpApiEndpoint.Top) => {
  const [success] = endpoint.success
  if (success === undefined) throw new Error(`${endpoint.identifier} declares no answer`)
  const status = statusOf(success.ast) ?? 200
  const { _tag, contentType } = encodingOf(success.ast) ?? { _tag: "Json", contentType: "application/json" }
  return {
    encode: (value: unknown): string => (_tag === "Text" ? (value as string) : JSON.stringify(value)),
    /** `tagOf` is asked for the entity tag when the answer is there. */
    respond: <R>(answer: Effect.Effect<string, HttpError, R>, tagOf: () => string | undefined, otherStatus = status) =>
      Effect.matchEffect(answer, {
        onFailure: respondTo,
        onSuccess: (body) => {
          const etag = tagOf()
          return Effect.succeed(
            HttpServerResponse.text(body, {
              status: otherStatus,
              contentType,
              ...(etag !== undefined && { headers: { etag } })
            })
          )
        }
      }),
    /** Answers of reads may be large, so encoding them yields to other requests. */
    respondInChunks: <R>(request: Request, answer: Effect.Effect<unknown, HttpError, R>) => {
      const respond = <R>(answer: Effect.Effect<unknown, HttpError, R>): Effect.Effect<Response, never, R> =>
        Effect.matchEffect(answer, {
          onFailure: (error) => respondTo(error._tag === "InvalidInput" ? asInQuery(error) : error),
          onSuccess: (answer) => {
            if (answer instanceof Pending) return Effect.succeed(pendingAnswer(answer.through(respond)))
            const { tag, value } = untagged(answer)
            if (tag !== undefined && isCurrent(request.headers, tag)) return Effect.succeed(notModified(tag))
            const encoded =
              value instanceof Uint8Array
                ? Effect.succeed([value])
                : runSteps(() =>
                    _tag === "Text" ? encodeSteps(piecesOfText(value as string)) : jsonChunks(value as object)
                  )
            return Effect.map(encoded, (chunks) =>
              withTag(ofChunks(chunks, contentType, HttpServerResponse.empty({ status })), tag)
            )
          }
        })
      return respond(answer)
    }
  }
}

/** A write with an `Idempotency-Key` has one effect and one answer, however often it is sent. */
const once = (
  records: IdempotencyRecords["Service"],
  request: Request,
  body: unknown,
  write: Effect.Effect<string, HttpError, Caller> | Prepared<string>,
  atOnce?: (keyed?: KeyedWrite) => Effect.Effect<string | undefined, HttpError, Caller>
): Effect.Effect<string, HttpError, Caller> => {
  const key = request.headers["idempotency-key"]
  if (key === undefined) {
    if (write instanceof Prepared) return Effect.flatten(write.ready)
    if (atOnce === undefined || request.headers["if-match"] === undefined) return write
    return Effect.flatMap(orUndecided(atOnce()), (answer) => (answer === undefined ? write : Effect.succeed(answer)))
  }
  if (!/^[\u0021-\u007e]{1,255}$/.test(key)) {
    return Effect.fail(
      new InvalidInput({
        field: "Idempotency-Key",
        reason: "must be 1 to 255 visible ASCII characters",
        sent: shownValue(key),
        example: "order-2026-11-20-1"
      })
    )
  }
  const asked = `${request.method} ${request.url}\n${JSON.stringify(body ?? null)}`
  return write instanceof Prepared
    ? records.onceReady(key, asked, write.ready)
    : records.once(key, asked, write, atOnce)
}
