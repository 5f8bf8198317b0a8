import cluster, { type Worker } from "node:cluster"
import { answerWorker } from "./WorkerMetrics.ts"
import { Deferred, Effect, Predicate, type Scope } from "effect"

/**
 * Milliseconds. A worker that ran for less is replaced only after this delay, so that a broken one does not restart in
 * a tight loop.
 */
const minLifeMillis = 500

/** Whether this process prints the address of the server: the only process, or the first worker. */
export const printsAddress = (): boolean => cluster.worker === undefined || cluster.worker.id === 1

/** Whether this process is a worker, which serves and starts no others. */
export const isWorker = cluster.isWorker

/** Counts the workers of a server, also those that took another's place. */
export const workerNumber = cluster.worker?.id

/** Tells the supervisor, if there is one, that requests are answered at this port. */
export const reportReady = (port: number): Effect.Effect<void> => Effect.sync(() => void process.send?.({ port }))

const portIn = (message: unknown): number | undefined =>
  Predicate.hasProperty(message, "port") && typeof message.port === "number" ? message.port : undefined

const endedBy = (code: number | null, signal: string | null): string => signal || `code ${code}`

export interface Supervision {
  /** The number of workers. */
  readonly count: number
  /** Whether the first worker takes any free port, which the others then share. */
  readonly isAnyPort: boolean
  /** The metrics of all workers, which a worker may ask for. */
  readonly pages: () => Promise<string>
}

/**
 * Starts workers, which share the port, and replaces each one that ends. The first starts alone until it is ready; if it
 * ends before that, this process exits with the same code, and prints a message if the worker had no chance to (it was
 * killed, or could not be started). When the scope closes, ends the workers (SIGTERM) and waits for them.
 */
export const supervise = (supervision: Supervision): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function* () {
    const first = yield* Deferred.make<void>()
    const supervisor = new Supervisor(
      supervision,
      () => Deferred.doneUnsafe(first, Effect.void),
      Effect.runForkWith(yield* Effect.context<never>())
    )
    yield* Effect.addFinalizer(() => Effect.promise(() => supervisor.stop()))
    supervisor.start()
    yield* Deferred.await(first)
    for (let more = 1; more < supervision.count; more++) supervisor.start()
    return yield* Effect.never
  })

/** The end of a worker, in words for the log. */
interface End {
  readonly code: number | null
  readonly what: string
  /** What comes of it, unless nothing is served yet. */
  readonly next: string
}

class Supervisor {
  readonly #supervision: Supervision
  /** Called whenever a worker is ready. */
  readonly #ready: () => void
  readonly #report: (line: Effect.Effect<void>) => void
  /** The workers, each with its end. */
  readonly #workers = new Map<Worker, Promise<void>>()
  readonly #listening = new Set<Worker>()
  /** The port at which requests are answered; undefined before the first worker is ready. */
  #port: number | undefined
  /** Workers share the port that one of them has bound, as long as one listens; then they are given its number. */
  #given: { readonly PORT?: string } = {}
  #isStopping = false

  constructor(supervision: Supervision, ready: () => void, report: (line: Effect.Effect<void>) => void) {
    this.#supervision = supervision
    this.#ready = ready
    this.#report = report
  }

  start(): void {
    const began = performance.now()
    const worker = cluster.fork(this.#given)
    answerWorker(worker, this.#supervision.pages)
    worker.once("listening", () => this.#listening.add(worker))
    worker.on("message", (message) => {
      const port = portIn(message)
      if (port === undefined) return
      this.#port = port
      this.#report(Effect.logDebug(`Worker ${worker.process.pid} answers`))
      this.#ready()
    })
    const ended = endOf(worker).then((end) => {
      this.#workers.delete(worker)
      if (!this.#isStopping) this.#replace(worker, end, performance.now() - began)
    })
    this.#workers.set(worker, ended)
  }

  /** Sends SIGTERM to all workers; resolved when they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const worker of this.#workers.keys()) worker.process.kill("SIGTERM")
    await Promise.all(this.#workers.values())
  }

  #replace(worker: Worker, { code, next, what }: End, livedMillis: number): void {
    if (this.#port === undefined) {
      if (code === null) process.stderr.write(`${what}, and nothing is served: start again\n`)
      process.exit(code || 1)
    }
    this.#report(Effect.logWarning(`${what}${next}`))
    this.#keepPort(worker, this.#port)
    const startUnlessStopping = (): void => {
      if (!this.#isStopping) this.start()
    }
    if (livedMillis < minLifeMillis) setTimeout(startUnlessStopping, minLifeMillis)
    else startUnlessStopping()
  }

  /** Once nobody listens, workers are given the port. Those that start without it would bind another one. */
  #keepPort(ended: Worker, port: number): void {
    const wasLast = this.#listening.delete(ended) && this.#listening.size === 0
    if (!wasLast || this.#given.PORT !== undefined) return
    this.#given = { PORT: String(port) }
    if (this.#supervision.isAnyPort) for (const starting of this.#workers.keys()) starting.process.kill("SIGKILL")
  }
}

const endOf = (worker: Worker): Promise<End> =>
  new Promise((resolve) => {
    worker.once("exit", (code: number | null, signal: string | null) =>
      resolve({
        code,
        what: `Worker ${worker.process.pid} ended (${endedBy(code, signal)})`,
        next: "; another one takes its place"
      })
    )
    // Sending to a worker that has just ended, for instance a connection, fails too; its end is reported above.
    worker.on("error", (failure) => {
      if (worker.process.pid === undefined)
        resolve({ code: null, what: `A worker cannot be started (${failure.message})`, next: ": tried again" })
    })
  })
