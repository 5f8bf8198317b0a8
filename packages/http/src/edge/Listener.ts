import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http"
import { Server as SocketServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { setImmediate as endOfTurn } from "node:timers/promises"
import {
  type AnswerProgress,
  type AnswerTimeouts,
  bytesOf,
  defaultAnswerTimeouts,
  hasStopped,
  isGivenUp,
  progressed
} from "./AnswerProgress.ts"
import { refusalOf, refuse, refuseRaw } from "./EarlyRefusals.ts"
import { hostsOf, takeHost } from "./RequestHost.ts"
import { ConnectionTurns, maxChunks } from "./ConnectionTurns.ts"
import { WaitingRequests } from "./WaitingRequests.ts"
import { maxBodyBytes } from "@lists-and-things/web/RequestBody"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Serves the requests of one connection. */
interface Service {
  readonly handle: Handler
  /** Whether its request waits for changes or streams them. */
  readonly waits?: () => boolean
  /** Called when the connection is closed. */
  readonly end: () => void
}

type ServiceOf = () => Service

interface Arrived {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Status and message, if the application does not get it. */
  readonly refusal?: readonly [number, string]
}

interface Connection {
  /** Undefined before `serve`. */
  service: Service | undefined
  /** The last answer started on it. */
  answer: ServerResponse | undefined
  /** Progress of that answer; undefined until the first check. */
  progress: AnswerProgress | undefined
  /**
   * Requests pipelined behind that answer, in order; each is served when the one before it is answered. Also those that
   * arrived while requests are held.
   */
  waiting: Array<Arrived> | undefined
}

/** Connections answered 408 per event-loop turn. */
const latePerTurn = 100

/** Milliseconds after a stop in which requests on idle connections are still answered. */
const idleGraceMillis = 250

/** Milliseconds after a stop in which established connections are accepted; Node accepts one per event-loop turn. */
const acceptingMillis = 1_000

/** Turns after which idle connections are closed even if requests keep coming. */
const maxBusyTurns = 100

/** Times in milliseconds, and bytes. */
const nodeOptions: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // Checked in `#handle`, since Node would refuse the request with an empty body.
  requireHostHeader: false
}

/**
 * Node's server with the product's limits; answers in JSON even where Node itself refuses a request. Tracks the
 * answer in progress per connection, so that stopping loses none. (Not in one set of all answers: the old tables of a
 * set that changes constantly retain its former entries until the next full garbage collection.)
 */
export class Listener {
  readonly server: Server
  readonly #connections = new Map<Socket, Connection>()
  readonly #timeouts: AnswerTimeouts
  #stopped: Promise<void> | undefined
  /** Whether answers close their connections. */
  #isStopping = false
  readonly #lastAnswers = Promise.withResolvers<void>()
  #serviceOf: ServiceOf | undefined
  /** Connections that still have to be answered 408, `latePerTurn` in each turn of the event loop. */
  readonly #tooLate: Array<Duplex> = []
  readonly #turns = new ConnectionTurns()
  /** Whether requests wait: before `serve`, and during a stop. */
  #isHolding = true
  /** The number of requests received so far. */
  #arrived = 0
  readonly #waiting = new WaitingRequests()

  constructor(timeouts: AnswerTimeouts = defaultAnswerTimeouts) {
    this.#timeouts = timeouts
    this.server = createServer(nodeOptions)
    // A client that neither sends nor reads for this long is considered gone, unless the server has yet to answer it.
    this.server.timeout = 60_000
    this.server.on("timeout", (socket: Socket) => {
      if (this.#connections.get(socket)?.answer?.headersSent !== false) socket.destroy()
    })
    this.#acceptConnections()
    this.#acceptRequests()
    this.#refuseOthers()
  }

  /** The two functions are the same for all connections, which are many. */
  #acceptConnections(): void {
    // Private to Node: a client that only closes its sending side gets its answer (`#leave`).
    Object.assign(this.server, { httpAllowHalfOpen: true })
    const end = (socket: Socket): void => this.#end(socket)
    function close(this: Socket): void {
      end(this)
    }
    const leave = (socket: Socket): void => this.#leave(socket)
    function sendNoMore(this: Socket): void {
      leave(this)
    }
    this.server.on("connection", (socket: Socket): void => {
      this.#connections.set(socket, {
        service: this.#serviceOf?.(),
        answer: undefined,
        progress: undefined,
        waiting: undefined
      })
      socket.on("close", close)
      socket.on("end", sendNoMore)
    })
  }

  #acceptRequests(): void {
    const accept: Handler = (request, response) => {
      this.#turns.ofBody(request, () =>
        this.#refuseRest(request.socket, 413, `The body comes in more than ${maxChunks} chunks: send larger ones.`)
      )
      this.#arrived++
      this.#take({ request, response })
    }
    this.server.on("request", accept)
    this.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (Number(request.headers["content-length"] ?? 0) <= maxBodyBytes) response.writeContinue()
      accept(request, response)
    })
    this.server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      this.#take({ request, response, refusal: [417, "The only Expect that is understood is 100-continue."] })
    })
  }

  #refuseOthers(): void {
    // Without a listener for "upgrade", an offered protocol is ignored, as RFC 9110 allows (section 7.8).
    this.server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      // Node no longer listens to it.
      socket.on("error", () => socket.destroy())
      this.#refuseRest(socket, 405, "This server is no proxy.")
    })
    this.server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return this.#late(socket)
      this.#refuseRest(socket, ...refusalOf(error))
    })
  }

  #end(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    for (const { request } of connection.waiting ?? []) this.#waiting.remove(request)
    connection.waiting = undefined
    connection.service?.end()
  }

  /**
   * The client sends no more: it has gone, or it has closed its sending side and reads on, which nothing tells apart. It
   * gets answers that come soon (`#cutUnread`), but nothing waits for it.
   */
  #leave(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection?.service?.waits?.() === true) return void socket.destroy()
    const last = connection?.waiting?.at(-1)?.response ?? connection?.answer
    if (last !== undefined) last.shouldKeepAlive = false
  }

  /** Refuses whatever arrives after the last complete request. */
  #refuseRest(socket: Duplex, status: number, message: string): void {
    const before = this.#lastWhole(socket)
    if (before === undefined) return refuseRaw(socket, status, message)
    socket.pause()
    before.once("close", () => refuseRaw(socket, status, message))
  }

  /** The pending answer to the last complete request; whatever arrives after it is served later. */
  #lastWhole(socket: Duplex): ServerResponse | undefined {
    const connection = this.#connections.get(socket as Socket)
    const { answer, waiting = [] } = connection ?? {}
    const answers = waiting.map(({ response }) => response)
    if (answer !== undefined) answers.unshift(answer)
    return answers.findLast(({ closed, req }) => !closed && req.complete)
  }

  /** Starts handing requests to the application, first those that came since `listen`. */
  serve(serviceOf: ServiceOf): void {
    this.#serviceOf = serviceOf
    for (const connection of this.#connections.values()) connection.service = serviceOf()
    this.#release()
  }

  #release(): void {
    this.#isHolding = false
    for (const connection of this.#connections.values()) if (!isPending(connection.answer)) this.#next(connection)
  }

  /** Binds the address; requests wait for `serve`. Fails with Node's error when the address cannot be bound. */
  listen(options: { readonly host: string; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject)
      this.server.listen({ ...options }, () => {
        this.server.off("error", reject)
        // An error of accept(2) concerns one connection, and without a listener it would end the process.
        this.server.on("error", () => undefined)
        const timer = setInterval(() => this.#cutUnread(), this.#timeouts.checkMillis).unref()
        this.server.once("close", () => clearInterval(timer))
        const address = this.server.address()
        resolve(typeof address === "object" && address !== null ? address.port : options.port)
      })
    })
  }

  /**
   * Accepts no new connections, completes every request in flight (`Connection: close`), those included that arrive
   * within a moment on connections that are open, and closes the remaining connections after `timeoutMillis`. The
   * first call decides.
   */
  stop(timeoutMillis: number): Promise<void> {
    this.#stopped ??= this.#close(timeoutMillis)
    return this.#stopped
  }

  /** Resolved when answers begin to close their connections; answers that are held back until a stop wait for it. */
  get lastAnswers(): Promise<void> {
    return this.#lastAnswers.promise
  }

  async #close(timeoutMillis: number): Promise<void> {
    const end = performance.now() + timeoutMillis
    await this.#acceptMade()
    // Node's own `close` of a server for HTTP also closes idle connections, at once.
    const closed = new Promise((resolve) => void SocketServer.prototype.close.call(this.server, resolve))
    this.#isStopping = true
    if (this.#serviceOf !== undefined) this.#release()
    for (const { answer, waiting } of this.#connections.values()) {
      const last = waiting?.at(-1)?.response ?? answer
      if (last !== undefined) last.shouldKeepAlive = false
    }
    this.#lastAnswers.resolve()
    const closeIdle = () => void this.closeIdle()
    let sweep: NodeJS.Timeout | undefined
    const lull = setTimeout(
      () => {
        closeIdle()
        sweep = setInterval(closeIdle, 50)
      },
      Math.min(idleGraceMillis, timeoutMillis)
    )
    const cut = setTimeout(() => this.server.closeAllConnections(), Math.max(0, end - performance.now()))
    await closed
    clearTimeout(lull)
    clearInterval(sweep)
    clearTimeout(cut)
  }

  /**
   * Closes idle connections at the end of a turn in which no request came, so that everything received is read: closing
   * a connection with an unread request would reset it.
   */
  async closeIdle(): Promise<void> {
    for (let turn = 0, before = -1; before !== this.#arrived && turn < maxBusyTurns; turn++) {
      before = this.#arrived
      await endOfTurn()
    }
    this.server.closeIdleConnections()
  }

  /**
   * Accepts the connections that the system has established, since it resets them when the listening socket is closed.
   * Requests are held meanwhile, so that turns stay short and no answer makes its client open another connection.
   */
  async #acceptMade(): Promise<void> {
    this.#isHolding = true
    let accepted = true
    const accept = () => void (accepted = true)
    this.server.on("connection", accept)
    const end = performance.now() + acceptingMillis
    await endOfTurn()
    while (accepted && performance.now() < end) {
      accepted = false
      await endOfTurn()
    }
    this.server.off("connection", accept)
  }

  /** Node reports all timed-out connections at once, and there can be thousands. */
  #late(socket: Duplex): void {
    socket.pause()
    if (this.#tooLate.push(socket) === 1) setImmediate(() => this.#refuseLate())
  }

  #refuseLate(): void {
    for (const socket of this.#tooLate.splice(0, latePerTurn))
      refuseRaw(socket, 408, "The request took too long to arrive.")
    if (this.#tooLate.length > 0) setImmediate(() => this.#refuseLate())
  }

  #cutUnread(): void {
    const now = performance.now()
    for (const [socket, connection] of this.#connections) {
      const { progress: before, waiting } = connection
      const answer = connection.answer ?? waiting?.[0]?.response
      const hasLeft = socket.readableEnded
      if (answer === undefined || answer.writableFinished || !(answer.headersSent || hasLeft)) continue
      const bytes = bytesOf(socket)
      connection.progress = progressed(before, bytes, now)
      if (isGivenUp(connection.progress, this.#timeouts) || (hasLeft && hasStopped(before, bytes))) socket.destroy()
    }
  }

  #take(arrived: Arrived): void {
    const connection = this.#connections.get(arrived.request.socket)
    if (connection !== undefined && (this.#isHolding || isPending(connection.answer))) this.#wait(connection, arrived)
    else this.#handle(arrived)
  }

  #handle({ refusal, request, response }: Arrived): void {
    const service = this.#begin(request.socket, response)
    if (refusal !== undefined) return refuse(response, ...refusal)
    const hosts = hostsOf(request)
    if (hosts > 1 || (hosts === 0 && request.httpVersion !== "1.0"))
      return refuse(response, 400, "The request must have one Host header.")
    if (!takeHost(request)) return refuse(response, 400, "The request does not name a valid host.")
    service?.handle(request, response)
  }

  #wait(connection: Connection, arrived: Arrived): void {
    const waiting = (connection.waiting ??= [])
    this.#turns.ofRequests(arrived.request)
    if (waiting.push(arrived) === 1 && isPending(connection.answer)) this.#nextAfter(connection.answer, connection)
    if (this.#waiting.add(arrived.request, waiting.length)) return
    arrived.request.socket.destroy()
    this.#waiting.rest(() => this.#connections.keys())
  }

  #nextAfter(answer: ServerResponse, connection: Connection): void {
    answer.once("close", () => {
      if (!this.#isHolding) this.#next(connection)
    })
  }

  #next(connection: Connection): void {
    const next = connection.waiting?.shift()
    if (next === undefined) return
    this.#waiting.remove(next.request)
    if (next.request.socket.destroyed) return
    if (connection.waiting!.length > 0) this.#nextAfter(next.response, connection)
    this.#handle(next)
  }

  #begin(socket: Socket, answer: ServerResponse): Service | undefined {
    const connection = this.#connections.get(socket)
    if (this.#isStopping && !connection?.waiting?.length) answer.shouldKeepAlive = false
    if (connection !== undefined) Object.assign(connection, { answer, progress: undefined })
    return connection?.service
  }
}

const isPending = (answer: ServerResponse | undefined): answer is ServerResponse => answer?.closed === false
