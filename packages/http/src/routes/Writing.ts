import { Effect, SchemaAST } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { type IdempotencyRecords, undecidedOnFailure } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import type { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { annotationOf, Changing, Conditional, Configuring } from "../api/Operation.ts"
import { idempotencyKeyForm } from "../api/Parameters.ts"
import { respondTo } from "../edge/ErrorResponses.ts"
import { expectedBy } from "../edge/EntityTagHeaders.ts"
import { encoderOf } from "./AnswerEncoding.ts"
import { untagged } from "./Conditional.ts"
import { type Answering, type Input, type Operation, Prepared, readied } from "./Handlers.ts"
import { payloadOf, refusingBody, unknownName } from "./Payload.ts"

type Request = HttpServerRequest.HttpServerRequest
type Written<A> = Effect.Effect<A, HttpError, Caller>

/** The services that writes need besides those of their handlers. */
export interface WriteServices {
  readonly records: IdempotencyRecords["Service"]
  readonly preconditions: Preconditions["Service"]
  readonly dryRuns: DryRuns["Service"]
}

/**
 * Serves the requests of a write: plain, as a dry run, under an `Idempotency-Key`, or with an `If-Match` if the
 * operation takes one.
 */
export const writer = (endpoint: HttpApiEndpoint.Top, operation: Operation, services: WriteServices) => {
  const payload = payloadOf(endpoint)
  const { prefetch, singleStatement, write = operation } = operation
  const { encode, respond } = encoderOf(endpoint)
  const kind = annotationOf(endpoint.annotations, Conditional)
  const isStrict =
    annotationOf(endpoint.annotations, Changing) === true || annotationOf(endpoint.annotations, Configuring) === true
  const refusalOf = isStrict ? refusalOfOthers(queryOf(endpoint)) : () => undefined
  const withoutBody = refusingBody(queryOf(endpoint))
  const expectedOf = ({ request }: Input) => (kind === undefined ? Effect.undefined : expectedBy(request.headers))
  const conditional = (input: Input, write: Written<unknown>) => {
    if (kind === undefined || input.request.headers["if-match"] === undefined) return Effect.succeed(write)
    const subject = { kind, id: input.params?.id ?? "", isRemoval: endpoint.method === "DELETE" }
    return Effect.map(expectedOf(input), (expected) =>
      expected === undefined ? write : services.preconditions.ifMatch(subject, expected, write)
    )
  }
  return (input: Input) => {
    const { request } = input
    const isDryRun = input.query?.dry_run === true
    let tag: string | undefined
    const encoded = (answer: unknown) => {
      const known = untagged(answer)
      tag = known.tag
      return encode(known.value)
    }
    const run = (seen: unknown, payload: unknown, body: unknown): Written<string> => {
      const answering = write({ ...input, payload }, seen)
      if (isPlain(input, answering)) return Effect.map(answering, encoded)
      const conditioned = Effect.flatMap(readied(answering), (write) => conditional(input, write))
      if (isDryRun)
        return Effect.flatMap(conditioned, (write) =>
          Effect.map(services.dryRuns.of(write), (dryRun) => JSON.stringify(dryRunJson(dryRun)))
        )
      const answered = Effect.map(conditioned, (write) => Effect.map(write, encoded))
      const attempt =
        singleStatement &&
        ((keyed?: KeyedWrite) =>
          Effect.flatMap(expectedOf(input), (expected) =>
            Effect.map(
              singleStatement({ ...input, payload }, seen, { keyed, expected }),
              (answer) => answer && encoded(answer)
            )
          ))
      const written = answering instanceof Prepared ? new Prepared(answered) : Effect.flatten(answered)
      return once(services.records, { request, body, write: written, singleStatement: attempt })
    }
    const ran = (seen: unknown) =>
      payload === undefined
        ? Effect.flatMap(withoutBody(input), () => run(seen, undefined, undefined))
        : Effect.flatMap(payload(input), ({ body, decoded }) => run(seen, decoded, body))
    const refusal = refusalOf(request)
    if (refusal !== undefined) return respondTo(refusal)
    const answered = prefetch === undefined ? ran(undefined) : Effect.flatMap(prefetch(input), ran)
    const wellFormed =
      request.headers["if-match"] === undefined ? answered : Effect.andThen(expectedOf(input), answered)
    return respond(wellFormed, () => tag, isDryRun ? 200 : undefined)
  }
}

/** Whether a write needs neither a dry run, a precondition nor a stored answer. */
const isPlain = (
  { query, request: { headers } }: Input,
  answering: Answering<unknown>
): answering is Written<unknown> =>
  query?.dry_run !== true &&
  headers["idempotency-key"] === undefined &&
  headers["if-match"] === undefined &&
  !(answering instanceof Prepared)

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
    const hint =
      known.length === 0 ? "this operation has none" : `known ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`
    return unknownName(
      other,
      known,
      (near) => `is not a known query parameter: ${near === undefined ? hint : `did you mean ${near}?`}`
    )
  }

/** A write that may carry an `Idempotency-Key`. */
interface KeyableWrite {
  readonly request: Request
  readonly body: unknown
  readonly write: Written<string> | Prepared<string>
  /** Tried first; undefined, with nothing written, where `write` has to decide. */
  readonly singleStatement: ((keyed?: KeyedWrite) => Written<string | undefined>) | undefined
}

/** A write with an `Idempotency-Key` has one effect and one answer, however often it is sent. */
const once = (
  records: IdempotencyRecords["Service"],
  { body, request, singleStatement, write }: KeyableWrite
): Written<string> => {
  const key = request.headers["idempotency-key"]
  if (key === undefined) {
    if (write instanceof Prepared) return Effect.flatten(write.ready)
    if (singleStatement === undefined || request.headers["if-match"] === undefined) return write
    return Effect.flatMap(undecidedOnFailure(singleStatement()), (answer) =>
      answer === undefined ? write : Effect.succeed(answer)
    )
  }
  if (!idempotencyKeyForm.test(key)) {
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
    : records.once(key, asked, write, singleStatement)
}
