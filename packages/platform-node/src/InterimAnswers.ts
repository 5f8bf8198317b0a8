import type { ClientRequest } from "node:http"

/** Maximum interim responses (1xx) to a request. Each takes time to handle, and one or two suffice. */
const maxInterim = 10

/**
 * Destroys a request after too many interim responses, of which a hostile server can send any number. The listener is
 * removed first, since Node still emits those that arrived in the same chunk.
 */
export const limitInterim = (asked: ClientRequest): void => {
  let count = 0
  const counted = () => {
    if (++count <= maxInterim) return
    asked.off("information", counted)
    asked.destroy(new Error(`More than ${maxInterim} interim answers (1xx) came before an answer.`))
  }
  asked.on("information", counted)
}
