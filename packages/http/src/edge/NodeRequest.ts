import type { IncomingMessage, ServerResponse } from "node:http"
import { NodeHttpIncomingMessage } from "@effect/platform-node/NodeHttpIncomingMessage"
import { Effect, type Option, Stream } from "effect"
import {
  Cookies,
  type Headers,
  type HttpMethod,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "effect/http"
import type { Pending } from "@lists-and-things/domain/scheduling/Pending"
import type { RateLimitState } from "@lists-and-things/web/HttpHeaders"

interface Changes {
  readonly url?: string
  readonly headers?: Headers.Headers
  readonly remoteAddress?: Option.Option<string>
}

/** The connection of a request. */
export interface Connection {
  /** Writes an answer once it is there; no fiber waits for it. */
  readonly wait: (request: NodeRequest, answer: Pending<HttpServerResponse.HttpServerResponse, never>) => void
}

/** Node's request as Effect's, with the response that is to be written. */
export class NodeRequest
  extends NodeHttpIncomingMessage<HttpServerError.HttpServerError>
  implements HttpServerRequest.HttpServerRequest
{
  readonly [HttpServerRequest.TypeId] = HttpServerRequest.TypeId
  readonly connection: Connection
  readonly response: ServerResponse
  readonly url: string
  /** The request id; undefined until it is known. */
  id: string | undefined
  /** The rate limit of its key, for the headers of the answer. */
  limits: RateLimitState | undefined
  /** Whether it waited for changes, or streams them. */
  hasWaited = false
  readonly #headers: Headers.Headers

  constructor(connection: Connection, source: IncomingMessage, response: ServerResponse, changes: Changes = {}) {
    super(source, (cause) => unreadable(this, cause), changes.remoteAddress)
    this.connection = connection
    this.response = response
    this.url = changes.url ?? source.url ?? "/"
    this.#headers = changes.headers ?? (source.headers as Headers.Headers)
  }

  get method(): HttpMethod.HttpMethod {
    return nodeOf(this).method as HttpMethod.HttpMethod
  }

  get originalUrl(): string {
    return nodeOf(this).url ?? "/"
  }

  override get headers(): Headers.Headers {
    return this.#headers
  }

  get cookies(): Readonly<Record<string, string>> {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  modify(changes: Changes): NodeRequest {
    const same = { url: this.url, headers: this.headers, remoteAddress: this.remoteAddress }
    return new NodeRequest(this.connection, nodeOf(this), this.response, { ...same, ...changes })
  }

  get multipart(): Effect.Effect<never> {
    return noMultipart
  }

  get multipartStream(): Stream.Stream<never> {
    return Stream.fromEffect(noMultipart)
  }

  get upgrade(): Effect.Effect<never, HttpServerError.HttpServerError> {
    return Effect.fail(unreadable(this, "This server has nothing to upgrade to."))
  }

  /** Leaves out headers and query, which may hold credentials. */
  override toJSON(): unknown {
    return { method: this.method, path: this.originalUrl.split("?", 1)[0] }
  }
}

const nodeOf = (request: NodeRequest): IncomingMessage => request.source as IncomingMessage

const unreadable = (request: NodeRequest, cause: unknown) =>
  new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request, cause }) })

const noMultipart = Effect.die(new Error("This server takes no multipart bodies"))
