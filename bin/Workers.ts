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

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Starts `count` workers, which share the port, and replaces each one that ends. The first starts alone until it is
 * ready; if it ends before that, this process exits with the same code, and prints a message if the worker had no
 * chance to (it was killed, or could not be started). When the scope closes, ends the workers (SIGTERM) and waits for
 * them.
 */
export const supervise = (
  count: number,
  /** The metrics of all workers, which a worker may ask for. */
  pages: () => Promise<string>
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function* () {
    const state: { isStopping: boolean; port: number | undefined } = { isStopping: false, port: undefined }
    const workers = new Map<Worker, Promise<void>>()
    const listening = new Set<Worker>()
    const first = yield* Deferred.make<void>()
    const isAnyPort = Number(process.env["PORT"]) === 0
    const report = Effect.runForkWith(yield* Effect.context<never>())

    // With PORT=0, workers share the port that one of them has bound, as long as one listens.
    let named: { readonly PORT?: string } = {}

    /** Once nobody listens, workers are given the port. Those that start without it would bind another one. */
    const keepPort = (ended: Worker, port: number): void => {
      const wasLast = listening.delete(ended) && listening.size === 0
      if (!wasLast || named.PORT !== undefined) return
      named = { PORT: String(port) }
      if (isAnyPort) for (const starting of workers.keys()) starting.process.kill("SIGKILL")
    }

    const start = (): void => {
      const began = performance.now()
      const worker = cluster.fork(named)
      answerWorker(worker, pages)
      worker.once("listening", () => listening.add(worker))
      worker.on("message", (message) => {
        const port = portIn(message)
        if (port === undefined) return
        state.port = port
        report(Effect.logDebug(`Worker ${worker.process.pid} answers`))
        Deferred.doneUnsafe(first, Effect.void)
      })
      const ended = new Promise<void>((resolve) => {
        const isOver = (code: number | null, what: string, next: string) => {
          workers.delete(worker)
          resolve()
          if (state.isStopping) return
          if (state.port === undefined) {
            if (code === null) process.stderr.write(`${what}, and nothing is served: start again\n`)
            process.exit(code || 1)
          }
          report(Effect.logWarning(`${what}${next}`))
          keepPort(worker, state.port)
          void replace(performance.now() - began)
        }
        worker.once("exit", (code: number | null, signal: string | null) =>
          isOver(code, `Worker ${worker.process.pid} ended (${endedBy(code, signal)})`, "; another one takes its place")
        )
        // Sending to a worker that has just ended, for instance a connection, fails too; its end is reported above.
        worker.on("error", (failure) => {
          if (worker.process.pid === undefined)
            isOver(null, `A worker cannot be started (${failure.message})`, ": tried again")
        })
      })
      workers.set(worker, ended)
    }

    const replace = async (lived: number): Promise<void> => {
      if (lived < minLifeMillis) await pause(minLifeMillis)
      if (!state.isStopping) start()
    }

    const stop = Effect.promise(async () => {
      state.isStopping = true
      for (const worker of workers.keys()) worker.process.kill("SIGTERM")
      await Promise.all(workers.values())
    })

    yield* Effect.addFinalizer(() => stop)
    start()
    yield* Deferred.await(first)
    for (let more = 1; more < count; more++) start()
    return yield* Effect.never
  })
