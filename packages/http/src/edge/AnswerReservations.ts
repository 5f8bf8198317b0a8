import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Overloaded } from "@lists-and-things/domain/model/Errors"
import { type AnswerReservation, writtenBytes } from "@lists-and-things/domain/size/AnswerBudget"
import type { MemoryBudget, MemoryReservation } from "@lists-and-things/domain/size/MemoryBudget"
import { retrySoon } from "@lists-and-things/web/ErrorAnswers"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorResponse } from "./ErrorResponses.ts"

/** Smaller answers are not counted; the number of connections bounds them. */
const countedBytes = 64 * 1024

/**
 * A reservation that ends when the answer is sent or its client is gone; it costs nothing until memory is reserved.
 * Answers that belong to no account are the same for everybody and in memory only once, so they are not counted.
 */
export const reservationOf = (
  request: HttpServerRequest.HttpServerRequest,
  budget: MemoryBudget
): AnswerReservation => {
  let owner: string | undefined
  let reservation: MemoryReservation | undefined
  /** Undefined once the client is gone. */
  const begun = (account: string): MemoryReservation | undefined => {
    if (reservation === undefined) {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response.closed) return undefined
      reservation = budget.reserve(account)
      response.once("close", reservation.end)
    }
    return reservation
  }
  return {
    chargeTo: (next) => {
      owner = next
      reservation?.chargeTo(next)
    },
    fitsWrite: () => owner === undefined || budget.fitsBeside(owner, writtenBytes),
    resize: (bytes) => owner === undefined || begun(owner)?.resize(bytes) === true,
    whenAvailable: (bytes, onReserved) => reservation?.whenAvailable(bytes, onReserved) ?? (() => {}),
    end: () => reservation?.end()
  }
}

/**
 * Resizes the reservation to the size of the answer's body, or answers 503 if that does not fit; for a write, the 503
 * says that the write was carried out. A stream of unknown length keeps its reservation.
 */
export const admitted = (
  request: HttpServerRequest.HttpServerRequest,
  reservation: AnswerReservation,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if ((body._tag !== "Uint8Array" && body._tag !== "Stream") || body.contentLength === undefined) return response
  if (body.contentLength < countedBytes) {
    reservation.end()
    return response
  }
  if (reservation.resize(body.contentLength) || request.method === "HEAD") return response
  const limits = rateLimitsOf(response)
  return request.method === "GET"
    ? errorResponse(503, new Overloaded().message, { ...limits, ...retrySoon })
    : errorResponse(503, carriedOut, limits)
}

const carriedOut =
  "The request was carried out, but its answer is not sent, since too many large answers to you are still being sent. Read what you need of it."

/** The request was counted against the limit, whatever its outcome. */
const rateLimitsOf = ({ headers }: HttpServerResponse.HttpServerResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[0].startsWith("x-ratelimit-"))
  )
