import type { ClientRequest } from "node:http"

/** Interim answers (1xx) to one request: each costs time, and nobody needs more than one or two. */
const most = 10

/** Ends a request with an error at an interim answer too many. Others can send them without end. */
export const limitInterim = (asked: ClientRequest): void => {
  let count = 0
  asked.on("information", () => {
    if (++count > most) asked.destroy(new Error(`More than ${most} interim answers (1xx) came before an answer.`))
  })
}
