import cluster, { type Worker } from "node:cluster"
import { answerWorker } from "./WorkerPages.ts"
import { Deferred, Effect, Predicate, type Scope } from "effect"

/** Milliseconds. A worker that ended sooner than this is replaced after as long, so that a broken one does not spin. */
const shortLife = 500

/** Whether this process is the one that tells people where the server answers. */
export const announces = (): boolean => cluster.worker === undefined || cluster.worker.id === 1

/** Whether this process is to serve, and not to start others that do. */
export const isWorker = cluster.isWorker

/** Tells the process that started this one that requests are answered at this port. */
export const tellReady = (port: number): Effect.Effect<void> => Effect.sync(() => void process.send?.({ port }))

const portIn = (message: unknown): number | undefined =>
  Predicate.hasProperty(message, "port") && typeof message.port === "number" ? message.port : undefined

const endedBy = (code: number | null, signal: string | null): string => signal || `code ${code}`

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Starts as many processes of this program, which share its port, and a new one for each that ends. The first one is
 * alone until it answers; when it ends before that, so does this process, with the same code, and says so of one that
 * could not say why itself. Ends them (SIGTERM) with the scope and waits for them.
 */
export const supervise = (
  count: number,
  /** What the workers are told of all of them when they ask. */
  pages: () => Promise<string>
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function* () {
    const state: { isStopping: boolean; port: number | undefined } = { isStopping: false, port: undefined }
    const workers = new Map<Worker, Promise<void>>()
    const first = yield* Deferred.make<void>()
    const report = Effect.runForkWith(yield* Effect.context<never>())

    const start = (): void => {
      const began = performance.now()
      // Where PORT leaves it open, workers share the one that is taken; after the last one it must be named.
      const env = state.port === undefined || workers.size > 0 ? {} : { PORT: String(state.port) }
      const worker = cluster.fork(env)
      answerWorker(worker, pages)
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
          void replace(performance.now() - began)
        }
        worker.once("exit", (code: number | null, signal: string | null) =>
          isOver(code, `Worker ${worker.process.pid} ended (${endedBy(code, signal)})`, "; another one takes its place")
        )
        // What is sent to a worker that just ended, such as a connection, fails too: that it ended is reported above.
        worker.on("error", (failure) => {
          if (worker.process.pid === undefined)
            isOver(null, `A worker cannot be started (${failure.message})`, ": tried again")
        })
      })
      workers.set(worker, ended)
    }

    const replace = async (lived: number): Promise<void> => {
      if (lived < shortLife) await pause(shortLife)
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
