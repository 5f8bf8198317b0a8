import { Context, Effect } from "effect"

/** What is posted to a webhook. */
export interface WebhookRequest {
  readonly url: string
  /** All but `webhook-signature`, which is made of `signed`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * What `webhook-signature` signs, once with each secret: `v1,` and the HMAC-SHA256 in base64, whose key is the base64
   * after `whsec_`.
   */
  readonly signed: { readonly text: string; readonly secrets: ReadonlyArray<string> }
}

/** What came back within the time of an attempt. */
export interface WebhookAnswer {
  /** Null where no answer came. */
  readonly status: number | null
  /** The beginning of the answer's text, or why there was none. */
  readonly text: string
  /** The header `Retry-After`; null without one. */
  readonly retryAfter: string | null
  /** Of the whole attempt, with what was read of the body. */
  readonly durationMillis: number
}

/**
 * Reaches other systems over HTTP, where the operator lets it. Reaches none unless a composition root provides a way.
 */
export const WebhookTransport = Context.Reference<{
  /** Why webhooks may not go there, worded to follow the field's name; undefined when they may. Resolves names. */
  readonly refusal: (url: string) => Effect.Effect<string | undefined>
  /**
   * One attempt: at most 15 seconds by a clock that never stands still or goes back, no redirects, no proxies. Checks
   * the address that it connects to.
   */
  readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer>
}>("@lists-and-things/domain/ports/WebhookTransport", {
  defaultValue: () => ({
    refusal: () => Effect.succeed("cannot be reached: this program connects to no other system"),
    send: () =>
      Effect.succeed({
        status: null,
        text: "This program connects to no other system.",
        retryAfter: null,
        durationMillis: 0
      })
  })
})
