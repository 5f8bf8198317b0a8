import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch"
import type { components, paths } from "./Contract.ts"
import { isTemporary, pauseAfter, type RetryOptions, retrying, sleep } from "./Retrying.ts"

export type { components, paths } from "./Contract.ts"

type Schemas = components["schemas"]
export type List = Schemas["List"]
export type Thing = Schemas["Thing"]
export type Reminder = Schemas["Reminder"]
export type Operation = Schemas["Operation"]

export interface ClientOptions extends RetryOptions {
  /** The address of the site, such as `http://localhost:3000`, or that of its API, which ends in `/api/v1`. */
  readonly url: string
  /** An API key. The access token of a program that signed in is good at `/mcp` alone. */
  readonly key: string
}

/** An unsuccessful response. `message` is the server's, field by field for invalid input. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number
  readonly response: Response

  constructor(response: Response, error: unknown) {
    const said = typeof error === "object" && error !== null && "error" in error ? String(error.error) : String(error)
    super(said === "" ? `${response.status} ${response.statusText}` : said)
    this.status = response.status
    this.response = response
  }
}

type Outcome<Data> =
  | { readonly data: Data; readonly error?: never; readonly response: Response }
  | { readonly data?: never; readonly error: unknown; readonly response: Response }

/**
 * The data of a response; throws an `ApiError` for an unsuccessful one. `const { list } = await
 * unwrap(client.POST("/lists", …))`
 */
export const unwrap = async <Data>(outcome: Promise<Outcome<Data>>): Promise<Exclude<Data, undefined>> => {
  const { data, error, response } = await outcome
  if (!response.ok) throw new ApiError(response, error)
  // Without exactOptionalPropertyTypes the compiler includes undefined, for the `data` that an error lacks.
  return data as Exclude<Data, undefined>
}

type Got<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } }
}
  ? Body
  : never

/** Paths whose `GET` returns pages, numbered from 0. */
export type PagedPath = {
  [Path in keyof paths]: Got<Path> extends { page: number; has_more: boolean } ? Path : never
}[keyof paths]

type QueryOf<Path extends PagedPath> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? Omit<NonNullable<Query>, "page">
  : never

type ItemOf<Page> = { [Name in keyof Page]: Page[Name] extends ReadonlyArray<infer Item> ? Item : never }[keyof Page]

/** An entity as it is after a change, or the fact that it was deleted (docs/history.md#the-feed). */
export type Change = Schemas["Changes"]["changes"][number]

/** One page of the feed. */
export interface ChangePage {
  /** In the order in which they were made. */
  readonly changes: ReadonlyArray<Change>
  /** The position after this page: store it together with the effect of its changes. */
  readonly cursor: string
  /** Whether more changes are already available; references between entities are complete once it is false. */
  readonly hasMore: boolean
  /** Whether this page begins the whole state again: drop what you have stored. */
  readonly isAnew: boolean
}

export interface ChangeOptions {
  /** Cursor of the last page that was applied. Without one, the whole state comes first; `now` skips it. */
  readonly cursor?: string
  /** Changes a page, 1 to 500; by default 500. */
  readonly limit?: number
  /** Whether to keep waiting for changes after the last page; by default the iteration ends there. */
  readonly follow?: boolean
  /** Ends the iteration, even while it waits, by throwing the signal's reason. */
  readonly signal?: AbortSignal
}

export interface Client extends FetchClient<paths, `${string}/${string}`> {
  /** Every item of every page. An item that moves to another page during the iteration may come twice or not at all. */
  readonly pages: <Path extends PagedPath>(path: Path, query?: QueryOf<Path>) => AsyncGenerator<ItemOf<Got<Path>>>
  /**
   * The feed of changes, page by page. Starts again with the whole state if the server no longer knows what follows the
   * cursor. With `follow`, retries without end while the server is unavailable.
   */
  readonly changes: (options?: ChangeOptions) => AsyncGenerator<ChangePage, void>
}

const isMarkdown = ({ headers }: { readonly headers: Headers }): boolean =>
  headers.get("content-type")?.startsWith("text/markdown") === true

/** openapi-fetch parses every body as JSON unless the request says otherwise. */
const readMarkdown: Middleware = {
  onResponse: async ({ options, response }) =>
    options.parseAs === "json" && response.ok && isMarkdown(response)
      ? new Response(JSON.stringify(await response.text()), response)
      : undefined
}

/** openapi-fetch passes the headers of the request, which its types omit. */
const writeBody = (body: unknown, headers?: unknown): string =>
  typeof body === "string" && headers instanceof Headers && isMarkdown({ headers }) ? body : JSON.stringify(body)

/** Seconds that a request of the feed waits for a change. */
const feedWait = 50

/** Whether `fetch` can send a request to an address; a browser also takes one that is relative to its page. */
const canBeFetched = (address: string): boolean => {
  try {
    return /^https?:/.test(new Request(address).url)
  } catch {
    return false
  }
}

/** Throws for an address to which no request can ever be sent: `changes` would retry it for ever. */
const apiAt = (url: string): string => {
  const api = `${url.replace(/\/$/, "").replace(/\/api\/v1$/, "")}/api/v1`
  if (canBeFetched(api)) return api
  throw new TypeError(
    `url must be an http or https URL, not ${JSON.stringify(url)}. For example http://localhost:3000.`
  )
}

/**
 * A client with methods for every operation, typed by the OpenAPI description; responses are not validated. Throws a
 * `TypeError` for a `url` that is none of http or https.
 */
export const createClient = ({ key, url, ...retries }: ClientOptions): Client => {
  const baseUrl = apiAt(url)
  const headers = { authorization: `Bearer ${key}` }
  const client = createFetchClient<paths, `${string}/${string}`>({
    baseUrl,
    headers,
    bodySerializer: writeBody,
    fetch: retrying(retries)
  })
  client.use(readMarkdown)

  async function* pages<Path extends PagedPath>(path: Path, query?: QueryOf<Path>): AsyncGenerator<ItemOf<Got<Path>>> {
    for (let page = 0; ; page++) {
      // The compiler cannot type a generic path; callers are checked against their own path.
      const init = { params: { query: { ...query, page } } } as unknown as Parameters<
        typeof client.GET<"/things", {}>
      >[1]
      const answer = await unwrap(client.GET(path as "/things", init))
      yield* Object.values(answer).find(Array.isArray) as ReadonlyArray<ItemOf<Got<Path>>>
      if (!answer.has_more) return
    }
  }

  async function* changes({ follow = false, limit = 500, signal, ...from }: ChangeOptions = {}) {
    let cursor = from.cursor
    let failures = 0
    for (;;) {
      signal?.throwIfAborted()
      // With `now` the server answers at once, with the cursor from which to follow.
      const wait = follow && cursor !== "now" ? feedWait : 0
      const query = { limit, wait, ...(cursor !== undefined && { cursor }) }
      try {
        const page = await unwrap(client.GET("/changes", { params: { query }, ...(signal && { signal }) }))
        failures = 0
        // openapi-fetch types the two numbers of a position as an array of any length.
        const changes = page.changes as ReadonlyArray<Change>
        if (cursor !== page.cursor)
          yield { changes, cursor: page.cursor, hasMore: page.has_more, isAnew: cursor === undefined }
        cursor = page.cursor
        if (!follow && !page.has_more) return
      } catch (error) {
        if (error instanceof ApiError && error.status === 410 && cursor !== undefined) cursor = undefined
        else if (!follow || signal?.aborted === true || !mayPass(error)) throw error
        else await sleep(pauseAfter(error instanceof ApiError ? error.response : undefined, failures++), signal)
      }
    }
  }

  return { ...client, pages, changes }
}

/**
 * Whether an error is temporary. `fetch` throws a TypeError if there is no response; the timeout of an attempt is a
 * TimeoutError.
 */
const mayPass = (error: unknown): boolean =>
  error instanceof ApiError
    ? isTemporary(error.status)
    : error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")
