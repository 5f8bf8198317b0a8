import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Overloaded } from "@lists-and-things/domain/model/Errors"
import { type AnswerLease, writtenBytes } from "@lists-and-things/domain/size/AnswerBudget"
import type { MemoryBudget, MemoryLease } from "@lists-and-things/domain/size/MemoryBudget"
import { retrySoon } from "@lists-and-things/web/ErrorAnswers"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorResponse } from "./ErrorResponses.ts"

/** Smaller answers are not counted; the number of connections bounds them. */
const countedBytes = 64 * 1024

/**
 * A lease released when the answer is sent or its client is gone; it costs nothing until memory is reserved. What is for
 * no account is the same for all, and in memory once: it is not counted.
 */
export const leaseOf = (request: HttpServerRequest.HttpServerRequest, budget: MemoryBudget): AnswerLease => {
  let owner: string | undefined
  let lease: MemoryLease | undefined
  /** None once the client is gone. */
  const begun = (of: string): MemoryLease | undefined => {
    if (lease === undefined) {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response.closed) return undefined
      lease = budget.lease(of)
      response.once("close", lease.end)
    }
    return lease
  }
  return {
    of: (next) => {
      owner = next
      lease?.of(next)
    },
    hasRoomToWrite: () => owner === undefined || budget.hasRoomBeside(owner, writtenBytes),
    resize: (bytes) => owner === undefined || begun(owner)?.resize(bytes) === true,
    whenRoom: (bytes, onRoom) => lease?.whenRoom(bytes, onRoom) ?? (() => {}),
    end: () => lease?.end()
  }
}

/**
 * Resizes the lease to the size of the answer's body, or answers 503 where it does not fit; after a write it says that
 * this was done. A stream of unknown length keeps what was reserved for it.
 */
export const admitted = (
  request: HttpServerRequest.HttpServerRequest,
  lease: AnswerLease,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if ((body._tag !== "Uint8Array" && body._tag !== "Stream") || body.contentLength === undefined) return response
  if (body.contentLength < countedBytes) {
    lease.end()
    return response
  }
  if (lease.resize(body.contentLength) || request.method === "HEAD") return response
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
