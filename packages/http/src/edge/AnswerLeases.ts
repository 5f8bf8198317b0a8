import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Overloaded } from "@lists-and-things/domain/model/Errors"
import type { MemoryBudget, MemoryLease } from "@lists-and-things/domain/size/MemoryBudget"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorResponse } from "./ErrorResponses.ts"

/** Smaller answers are not counted; the number of connections bounds them. */
const countedBytes = 64 * 1024

/** A lease released when the answer is sent or its client is gone; it costs nothing until memory is reserved. */
export const leaseOf = (
  request: HttpServerRequest.HttpServerRequest,
  budget: MemoryBudget,
  client: () => string
): MemoryLease => {
  let owner: string | undefined
  let lease: MemoryLease | undefined
  return {
    of: (next) => {
      owner = next
      lease?.of(next)
    },
    resize: (bytes) => {
      if (lease === undefined) {
        const response = NodeHttpServerRequest.toServerResponse(request)
        if (response.closed) return false
        lease = budget.lease(owner ?? client())
        response.once("close", lease.end)
      }
      return lease.resize(bytes)
    },
    end: () => lease?.end()
  }
}

/**
 * Resizes the lease to the size of the answer's body, or answers 503 where it does not fit. The answer of a write is
 * always sent, since a refusal would claim that nothing was written. A stream of unknown length keeps what was
 * reserved for it.
 */
export const admitted = (
  request: HttpServerRequest.HttpServerRequest,
  lease: MemoryLease,
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

/** The request was counted against the limit, whatever its outcome. */
const rateLimitsOf = ({ headers }: HttpServerResponse.HttpServerResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[0].startsWith("x-ratelimit-"))
  )
