import type { ClientRequest } from "node:http"

/** Interim answers (1xx) to one request: each costs time, and nobody needs more than one or two. */
const most = 10

/**
 * Ends a request with an error at an interim answer too many. Others can send them without end: Node tells of thousands
 * more that have arrived with that one.
 */
export const limitInterim = (asked: ClientRequest): void => {
  let count = 0
  const counted = () => {
    if (++count <= most) return
    asked.off("information", counted)
    asked.destroy(new Error(`More than ${most} interim answers (1xx) came before an answer.`))
  }
  asked.on("information", counted)
}
