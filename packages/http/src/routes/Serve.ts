import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { callBy, CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { Api } from "../api/Api.ts"
import { annotationOf, Changing } from "../api/Operation.ts"
import { Admission, type Input as Decoded } from "../edge/Admission.ts"
import { Routes } from "../edge/Routes.ts"
import type { Groups, Input, Operation, Operations } from "./Handlers.ts"
import { reader } from "./Reading.ts"
import { type WriteServices, writer } from "./Writing.ts"

/** The services that every operation needs besides those of its handler. */
export type ServeServices = IdempotencyRecords | EntityTags | Preconditions | DryRuns

interface Services extends WriteServices {
  readonly tags: EntityTags["Service"]
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

const handlerOf = (endpoint: HttpApiEndpoint.Top, operation: Operation, services: Services) => {
  const isChanging = annotationOf(endpoint.annotations, Changing) === true
  const serve = serverOf(endpoint, isChanging, operation, services)
  if (!isChanging) return (input: Decoded) => serve(input as Input)
  return (input: Decoded) => recorded(endpoint.identifier, input, serve(input as Input))
}

/** A read that changes something is a write in a dry run. */
const serverOf = (endpoint: HttpApiEndpoint.Top, isChanging: boolean, operation: Operation, services: Services) => {
  if (endpoint.method !== "GET") return writer(endpoint, operation, services)
  const read = reader(endpoint, operation, services.tags)
  if (!isChanging) return read
  const write = writer(endpoint, operation, services)
  return (input: Input) => (input.query?.dry_run === true ? write(input) : read(input))
}

type Response = HttpServerResponse.HttpServerResponse

/** Serves a request as one call; the answer names the operation that it recorded, or that it repeats. */
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

/** A header carries ASCII alone: a `?` stands for each other character. */
const inAscii = (text: string): string => text.replaceAll(/[^\u0020-\u007e]/gu, "?")
