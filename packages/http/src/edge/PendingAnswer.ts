import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"

type Response = HttpServerResponse.HttpServerResponse

/**
 * A placeholder for an answer that is not there yet, for which no fiber waits. Each layer that it passes uses
 * `whenReady` to say what it will do with the answer.
 */
export const pendingAnswer = (pending: Pending<Response, never>): Response => HttpServerResponse.raw(pending)

/** The pending answer behind a placeholder; undefined for any other answer. */
export const pendingOf = ({ body }: Response): Pending<Response, never> | undefined =>
  body._tag === "Raw" && body.body instanceof Pending ? (body.body as Pending<Response, never>) : undefined

/**
 * Applies `use` to a pending answer when it is there, and to any that follows it; other answers are returned as they
 * are.
 */
export const whenReady = (
  response: Response,
  use: (next: Effect.Effect<Response>) => Effect.Effect<Response>
): Response => {
  const pending = pendingOf(response)
  if (pending === undefined) return response
  return pendingAnswer(
    pending.through((next) =>
      Effect.map(use(Effect.map(next, (found) => (found instanceof Pending ? pendingAnswer(found) : found))), (again) =>
        whenReady(again, use)
      )
    )
  )
}
