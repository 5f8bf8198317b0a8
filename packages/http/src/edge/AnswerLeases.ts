import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Overloaded } from "@lists-and-things/domain/model/Errors"
import type { AnswerBudget, AnswerLease } from "@lists-and-things/domain/size/AnswerBudget"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorResponse } from "./ErrorResponses.ts"

/** Answers below are not counted one by one; connections bound them. */
const countedBytes = 64 * 1024

/** A lease that ends when the answer has left or its client is gone; it costs nothing until something is taken. */
export const leaseOf = (request: HttpServerRequest.HttpServerRequest, budget: AnswerBudget): AnswerLease => {
  let lease: AnswerLease | undefined
  return {
    resize: (bytes) => {
      if (lease === undefined) {
        const response = NodeHttpServerRequest.toServerResponse(request)
        if (response.closed) return false
        lease = budget.lease()
        response.once("close", lease.end)
      }
      return lease.resize(bytes)
    },
    end: () => lease?.end()
  }
}

/**
 * The answer, counted by its body now that what it was made of is gone; or a 503 where it does not fit. What was
 * written is answered all the same: a refusal would say that nothing was done. A stream of
 * unknown length keeps what was taken for it.
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
  return lease.resize(body.contentLength) || request.method !== "GET" ? response : overloaded(response)
}

const overloaded = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  errorResponse(503, new Overloaded().message, { ...rateLimitsOf(response), "retry-after": "1" })

/** The request counted, whatever became of it. */
const rateLimitsOf = ({ headers }: HttpServerResponse.HttpServerResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[0].startsWith("x-ratelimit-"))
  )
