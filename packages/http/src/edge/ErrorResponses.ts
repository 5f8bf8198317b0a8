import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { sentence } from "@lists-and-things/domain/text/Wording"
import { answerFor, type HttpError } from "@lists-and-things/web/ErrorAnswers"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

export const errorBody = (message: string): string => JSON.stringify({ error: sentence(message) })

export const errorResponse = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(errorBody(message), { status, headers, contentType: "application/json" })

/** The answer for an expected error. */
export const respondTo = (error: HttpError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(currentTime, (now) => {
    const { headers, status } = answerFor(error, now)
    return errorResponse(status, error.message, headers)
  })

export const defectMessage = (requestId: string): string =>
  `Something went wrong on the server; its log has it under the request id ${requestId}.`

/** The answer for a defect: it is logged under the request's id, and the client sees only the id. */
export const respondToDefect = (
  cause: Cause.Cause<unknown>,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.as(
    Effect.logError("A request failed in an unforeseen way", cause),
    errorResponse(500, defectMessage(requestId))
  )
