import type { IncomingMessage, ServerResponse } from "node:http"
import { Context, Effect, Fiber, type Scope } from "effect"
import { HttpEffect, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import { writeAnswer } from "./NodeAnswer.ts"
import { type Connection, NodeRequest } from "./NodeRequest.ts"
import { pendingAnswer, pendingOf } from "./PendingAnswer.ts"

type Response = HttpServerResponse.HttpServerResponse
type Answer = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope>
type Written = Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>

/**
 * Serves requests, each in a fiber of its own until it is answered or waits (`PendingAnswer`). Of a request that waits
 * there is only what Node has of it, and how it goes on.
 */
export class Requests {
  readonly #written: Written
  readonly #services: Context.Context<never>
  /** Is told of each request as it begins. */
  readonly observe: ((request: NodeRequest) => void) | undefined
  /** Fibers whose clients have gone, and that could not be interrupted at once. */
  readonly #orphans = new Set<Fiber.Fiber<void>>()

  /** `services` is the context that every request begins with. */
  constructor(answer: Answer, services: Context.Context<never>, observe?: (request: NodeRequest) => void) {
    this.#written = written(answer)
    this.#services = services
    this.observe = observe
  }

  connection(): ConnectionRequests {
    return new ConnectionRequests(this)
  }

  fork(request: NodeRequest, next = this.#written): Fiber.Fiber<void> {
    return Effect.runForkWith(Context.add(this.#services, HttpServerRequest.HttpServerRequest, request))(next)
  }

  orphan(fiber: Fiber.Fiber<void>): void {
    this.#orphans.add(fiber)
    fiber.addObserver(() => this.#orphans.delete(fiber))
  }

  /** Until all requests of closed connections are over. */
  readonly orphansEnded: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Fiber.awaitAll(this.#orphans)))
}

/** The requests of one connection, which end with it. */
class ConnectionRequests implements Connection {
  readonly #requests: Requests
  /** Mostly one, so the arrays are made anew: one that grows has room for many. */
  #fibers: ReadonlyArray<Fiber.Fiber<void>> = none
  #waits: ReadonlyArray<() => void> = none
  #hasEnded = false

  constructor(requests: Requests) {
    this.#requests = requests
  }

  handle(message: IncomingMessage, response: ServerResponse): void {
    const request = new NodeRequest(this, message, response)
    this.#requests.observe?.(request)
    this.#run(request)
  }

  #run(request: NodeRequest, next?: Written): void {
    const fiber = this.#requests.fork(request, next)
    if (fiber.pollUnsafe() !== undefined) return
    this.#fibers = [...this.#fibers, fiber]
    fiber.addObserver(() => {
      this.#fibers = without(this.#fibers, fiber)
    })
  }

  wait(request: NodeRequest, answer: Pending<Response, never>): void {
    if (this.#hasEnded) return
    request.hasWaited = true
    let giveUp: (() => void) | undefined
    let isOver = false
    giveUp = answer.begin((next) => {
      isOver = true
      if (giveUp !== undefined) this.#waits = without(this.#waits, giveUp)
      this.#run(
        request,
        written(Effect.map(next, (found) => (found instanceof Pending ? pendingAnswer(found) : found)))
      )
    })
    if (!isOver) this.#waits = [...this.#waits, giveUp]
  }

  end(): void {
    this.#hasEnded = true
    const [fibers, waits] = [this.#fibers, this.#waits]
    this.#waits = none
    for (const giveUp of waits) giveUp()
    for (const fiber of fibers) {
      fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
      if (fiber.pollUnsafe() === undefined) this.#requests.orphan(fiber)
    }
  }
}

const none: ReadonlyArray<never> = []

const without = <A>(items: ReadonlyArray<A>, item: A): ReadonlyArray<A> =>
  items.length === 1 && items[0] === item ? none : items.filter((each) => each !== item)

const written = (answer: Answer): Written =>
  HttpEffect.toHandled(answer, (request, response) => {
    const node = request as NodeRequest
    const pending = pendingOf(response)
    return pending === undefined ? writeAnswer(node, response) : Effect.sync(() => node.connection.wait(node, pending))
  })
