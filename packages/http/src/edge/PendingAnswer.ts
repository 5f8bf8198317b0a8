import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"

type Response = HttpServerResponse.HttpServerResponse

/**
 * Stands for an answer that is not there yet, on its way out: no fiber waits for it. Each layer that a request passes
 * says with `whenReady` what it does with the answer when it comes.
 */
export const pendingAnswer = (pending: Pending<Response, never>): Response => HttpServerResponse.raw(pending)

/** Undefined for an answer that is there. */
export const pendingOf = ({ body }: Response): Pending<Response, never> | undefined =>
  body._tag === "Raw" && body.body instanceof Pending ? (body.body as Pending<Response, never>) : undefined

/** Leaves an answer that is there as it is. */
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
