import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, Context, Effect, Exit, Fiber } from "effect"
import { HttpEffect, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import { type Edge, type Exchange, flattened } from "./Edge.ts"
import { writeAnswer } from "./NodeAnswer.ts"
import { type Connection, NodeRequest } from "./NodeRequest.ts"
import { pendingAnswer, pendingOf } from "./PendingAnswer.ts"

type Response = HttpServerResponse.HttpServerResponse
type Written = Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>

/**
 * Serves requests, each in a fiber of its own until it is answered or waits (`PendingAnswer`). A waiting request keeps
 * only Node's objects and its continuation in memory.
 */
export class Requests {
  readonly edge: Edge
  /** Serves all requests that are for no operation. */
  readonly routed: Written
  readonly #services: Context.Context<never>
  /** Called with each request as it begins. */
  readonly observe: ((request: NodeRequest) => void) | undefined
  /** Fibers whose clients have gone and that did not end at once when interrupted. */
  readonly #orphans = new Set<Fiber.Fiber<unknown>>()

  /** `services` is the initial context of every request. */
  constructor(edge: Edge, services: Context.Context<never>, observe?: (request: NodeRequest) => void) {
    this.edge = edge
    this.routed = written(edge.routed)
    this.#services = services
    this.observe = observe
  }

  connection(): ConnectionRequests {
    return new ConnectionRequests(this)
  }

  contextOf(request: NodeRequest): Context.Context<HttpServerRequest.HttpServerRequest> {
    return Context.add(this.#services, HttpServerRequest.HttpServerRequest, request)
  }

  orphan(fiber: Fiber.Fiber<unknown>): void {
    this.#orphans.add(fiber)
    fiber.addObserver(() => this.#orphans.delete(fiber))
  }

  /** Completes when all requests of closed connections are over. */
  readonly orphansEnded: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Fiber.awaitAll(this.#orphans)))
}

/** The requests of one connection, which end with it. */
class ConnectionRequests implements Connection {
  readonly #requests: Requests
  /**
   * There is mostly one, so the arrays are replaced rather than appended to: an array that grows reserves room for
   * many.
   */
  #fibers: ReadonlyArray<Fiber.Fiber<unknown>> = none
  #waits: ReadonlyArray<() => void> = none
  #last: NodeRequest | undefined
  #hasEnded = false

  constructor(requests: Requests) {
    this.#requests = requests
  }

  handle(message: IncomingMessage, response: ServerResponse): void {
    const request = new NodeRequest(this, message, response)
    this.#last = request
    this.#requests.observe?.(request)
    const operation = this.#requests.edge.operation(request)
    if (operation === undefined) this.#route(request, this.#requests.routed)
    else this.#exchange(request, operation)
  }

  #route(request: NodeRequest, written: Written): void {
    this.#attend(Effect.runForkWith(this.#requests.contextOf(request))(written))
  }

  #exchange(request: NodeRequest, { answer, context }: Exchange): void {
    const fiber = Effect.runForkWith(context)(Effect.flatMap(answer, (response) => this.#respond(request, response)))
    this.#attend(fiber)
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) return
      request.response.destroy()
      // Otherwise the client has gone.
      if (!Cause.hasInterruptsOnly(exit.cause))
        Effect.runForkWith(context)(Effect.logError("An answer could not be written", exit.cause))
    })
  }

  #respond(request: NodeRequest, response: Response): Effect.Effect<void> {
    const pending = pendingOf(response)
    if (pending === undefined) return writeAnswer(request, response) ?? Effect.void
    request.id = flattened(request.id!)
    this.#wait(request, pending, (next) => this.#exchange(request, this.#requests.edge.again(request, next)))
    return Effect.void
  }

  #attend(fiber: Fiber.Fiber<unknown>): void {
    if (fiber.pollUnsafe() !== undefined) return
    this.#fibers = [...this.#fibers, fiber]
    fiber.addObserver(() => {
      this.#fibers = without(this.#fibers, fiber)
    })
  }

  wait(request: NodeRequest, answer: Pending<Response, never>): void {
    this.#wait(request, answer, (next) => this.#route(request, written(next)))
  }

  #wait(request: NodeRequest, answer: Pending<Response, never>, resume: (next: Effect.Effect<Response>) => void): void {
    if (this.#hasEnded) return
    request.hasWaited = true
    let cancel: (() => void) | undefined
    let isOver = false
    cancel = answer.begin((next) => {
      isOver = true
      if (cancel !== undefined) this.#waits = without(this.#waits, cancel)
      resume(Effect.map(next, (found) => (found instanceof Pending ? pendingAnswer(found) : found)))
    })
    if (!isOver) this.#waits = [...this.#waits, cancel]
  }

  waits(): boolean {
    return this.#last?.hasWaited === true
  }

  end(): void {
    this.#hasEnded = true
    const [fibers, waits] = [this.#fibers, this.#waits]
    this.#waits = none
    for (const cancel of waits) cancel()
    for (const fiber of fibers) {
      fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
      if (fiber.pollUnsafe() === undefined) this.#requests.orphan(fiber)
    }
  }
}

const none: ReadonlyArray<never> = []

const without = <A>(items: ReadonlyArray<A>, item: A): ReadonlyArray<A> =>
  items.length === 1 && items[0] === item ? none : items.filter((each) => each !== item)

const written = (answer: Edge["routed"]): Written =>
  HttpEffect.toHandled(answer, (request, response) => {
    const node = request as NodeRequest
    const pending = pendingOf(response)
    if (pending !== undefined) return Effect.sync(() => node.connection.wait(node, pending))
    return writeAnswer(node, response) ?? Effect.void
  })
