export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  /** Epoch milliseconds. */
  readonly resetAt: number
}

/** On every answer but 401 and 403. `Reset` is in Unix seconds, rounded up, so never before the window ends. */
export const rateLimitHeaders = (state: RateLimitState): Record<string, string> => ({
  "x-ratelimit-limit": String(state.limit),
  "x-ratelimit-remaining": String(Math.max(0, state.remaining)),
  "x-ratelimit-reset": String(Math.ceil(state.resetAt / 1000))
})
