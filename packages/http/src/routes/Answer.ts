import { Clock, Effect, type Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "@lists-and-things/domain/caller/Caller"
import { Receipts } from "@lists-and-things/domain/caller/Receipts"
import { todayIn } from "@lists-and-things/domain/days/Day"
import {
  type IdempotencyMismatch,
  InvalidInput,
  type NotFound,
  type StorageUnavailable
} from "@lists-and-things/domain/Errors"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { type HttpError, respondTo } from "../edge/ErrorResponses.ts"
import { readJson } from "../edge/RequestBody.ts"

/** What repeating a write under its key adds to what the write can end in. */
type Repeated = IdempotencyMismatch | InvalidInput | NotFound | StorageUnavailable

type Request = HttpServerRequest.HttpServerRequest

const json = (body: string, status: number) =>
  HttpServerResponse.text(body, { status, contentType: "application/json" })

/** Answers what a use case read; its errors by the table of `ErrorResponses`. */
export const answer = <A, E extends HttpError, R>(
  use: Effect.Effect<A, E, R>,
  toJson: (value: A) => unknown,
  status = 200
) =>
  Effect.matchEffect(use, {
    onFailure: respondTo,
    onSuccess: (value) => Effect.succeed(json(JSON.stringify(toJson(value)), status))
  })

/** The date now where the caller is, which tells whether a day list is today's. */
export const today: Effect.Effect<string, never, Caller> = Effect.gen(function* () {
  const { account } = yield* Caller
  return todayIn(account.timezone, yield* Clock.currentTimeMillis)
})

/** How a body is read and a write is kept from happening twice; made once, used by every operation that writes. */
export const makeWrites = Effect.gen(function* () {
  const receipts = yield* Receipts

  const once = <E extends HttpError, R>(
    request: Request,
    body: unknown,
    write: Effect.Effect<string, E, R>
  ): Effect.Effect<string, E | Repeated, R | Caller> => {
    const key = request.headers["idempotency-key"]
    if (key === undefined) return write
    if (!/^[\u0021-\u007e]{1,255}$/.test(key)) {
      return Effect.fail(
        new InvalidInput({ field: "Idempotency-Key", reason: "must be 1 to 255 visible ASCII characters" })
      )
    }
    return receipts.once(key, `${request.method} ${request.url}\n${JSON.stringify(body ?? null)}`, write)
  }

  const respond = <E extends HttpError, R>(answered: Effect.Effect<string, E, R>, status: number) =>
    Effect.matchEffect(answered, {
      onFailure: respondTo,
      onSuccess: (body) => Effect.succeed(json(body, status))
    })

  /** A write whose body is decoded by `schema`; `use` answers what becomes the JSON of the response. */
  const withBody = <I>(schema: Schema.ConstraintDecoder<I>, status = 200) => {
    const decode = decodeInput(schema)
    return <E extends HttpError, R>(request: Request, use: (input: I) => Effect.Effect<unknown, E, R>) =>
      readJson(request).pipe(
        Effect.flatMap((body) =>
          Effect.flatMap(decode(body), (input) =>
            once(
              request,
              body,
              Effect.map(use(input), (value) => JSON.stringify(value))
            )
          )
        ),
        (answered) => respond(answered, status)
      )
  }

  /** A write that says everything in its path. */
  const withoutBody = <E extends HttpError, R>(request: Request, use: Effect.Effect<unknown, E, R>) =>
    respond(
      once(
        request,
        undefined,
        Effect.map(use, (value) => JSON.stringify(value))
      ),
      200
    )

  return { withBody, withoutBody }
})
