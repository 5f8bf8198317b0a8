/** How often, and for how long, a request is tried. */
export interface RetryOptions {
  /** Attempts of one request, at least 1; by default 5. */
  readonly attempts?: number
  /** Timeout of one attempt in seconds; by default 100, more than the feed of changes ever waits. */
  readonly timeoutSeconds?: number
  /** Maximum `Retry-After` in seconds that is waited for; a response with a longer one is returned. By default 60. */
  readonly maxWaitSeconds?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

const reads = new Set(["GET", "HEAD", "OPTIONS"])
/** Statuses after which the same request may succeed later. */
const temporary = new Set([408, 425, 429, 502, 503, 504])

export const isTemporary = (status: number): boolean => temporary.has(status)

/** Waits for some seconds; rejects with the signal's reason if it is aborted. */
export const sleep = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, seconds * 1000)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })

/** Random. Browsers lack `crypto.randomUUID` on pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** In seconds; a timer with a longer time fires at once. */
const longestTimer = 2_147_483

/** The `Retry-After` header in seconds, from either of its forms; undefined if missing or invalid. */
const retryAfter = (response: Response): number | undefined => {
  const value = response.headers.get("retry-after")?.trim()
  if (value === undefined) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), longestTimer)
}

/**
 * Exponential backoff: seconds to wait after an attempt, numbered from 0. Half a second, doubled with each attempt, at
 * most 30; up to a quarter less at random, so that clients spread out.
 */
const backOff = (attempt: number): number => Math.min(30, 0.5 * 2 ** attempt) * (0.75 + Math.random() / 4)

/** Seconds to wait for a server that stays unavailable: its `Retry-After`, but no less than the backoff. */
export const pauseAfter = (response: Response | undefined, attempt: number): number =>
  Math.max((response && retryAfter(response)) ?? 0, backOff(attempt))

/**
 * A `fetch` that adds an `Idempotency-Key` to every write, so that retries have one effect. Retries a request that got
 * no response, or one with status 408, 425, 429, 502, 503 or 504.
 */
export const retrying = ({
  attempts = 5,
  fetch = (request) => globalThis.fetch(request),
  maxWaitSeconds = 60,
  timeoutSeconds = 100
}: RetryOptions) => {
  const once = (request: Request) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)])
    return fetch(new Request(request.clone(), { signal }))
  }
  return async (request: Request): Promise<Response> => {
    if (!reads.has(request.method) && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", randomKey())
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt + 1 >= attempts
      let wait = backOff(attempt)
      try {
        const response = await once(request)
        if (isLast || !isTemporary(response.status)) return response
        wait = retryAfter(response) ?? wait
        if (wait > maxWaitSeconds) return response
        await response.body?.cancel()
      } catch (error) {
        if (isLast || request.signal.aborted) throw error
      }
      await sleep(wait, request.signal)
    }
  }
}
