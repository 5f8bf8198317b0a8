import type { StorageConnections } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect, References, type Scope } from "effect"
import { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"
import type { ConnectionPool, EvictablePool } from "./ConnectionPool.ts"
import { makePool, pipelineConcurrency, transactionSettings, waitForConnection } from "./Connections.ts"
import { InFlight } from "./InFlight.ts"
import type { PgStorageConfig } from "./PgStorageConfig.ts"
import { makeServers, type Servers } from "./Servers.ts"

/** The connection pools of a process, by what they are for. */
export interface Pools {
  /** Short statements, which share a connection and its flushes. */
  readonly short: ReadonlyArray<ConnectionPool>
  /** Long reads, each planned once for any parameters. */
  readonly plannedOnce: ConnectionPool
  /**
   * Long reads, each planned for its parameters: with several servers, a generic plan cannot name the one that has the
   * data.
   */
  readonly plannedEach: ConnectionPool
  /** Transactions and writes, of which each has a connection to itself. */
  readonly exclusive: ConnectionPool
  readonly counts: () => StorageConnections
  readonly servers: Servers
}

/** Connections are opened when they are first used. */
export const makePools = (config: PgStorageConfig, applicationName: string): Effect.Effect<Pools, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inFlight = new InFlight()
    const servers = yield* makeServers(config, inFlight)
    const common = {
      inFlight,
      isTraced: yield* References.TracerEnabled,
      slowMillis: config.slowMillis ?? Number.POSITIVE_INFINITY,
      prepare: config.pooler === undefined,
      transactionSettings: config.pooler === undefined ? undefined : transactionSettings,
      noticed: servers.noticed
    }
    const open = (options: Parameters<typeof makePool>[3]) => {
      const { driver, open } = counted(servers)
      const made = Effect.orDie(makePool(config, applicationName, driver, options))
      return Effect.map(made, (connections) => ({ connections, open }))
    }
    const lent = (maxConnections: number, options: { readonly pipeline: boolean; readonly planOnce: boolean }) =>
      Effect.map(open({ ...options, concurrency: 1, maxConnections }), (opened) => ({
        ...opened,
        limiter: new ConcurrencyLimiter(maxConnections, waitForConnection),
        ...common,
        lendsPipelined: options.pipeline
      }))
    const evictable: Array<EvictablePool> = []
    const exclusive = { ...(yield* lent(config.maxConnections ?? 10, { pipeline: true, planOnce: false })), evictable }
    // One connection per pool, with a batch barrier: the driver keeps all rows of a pipeline until the pipeline is
    // empty.
    const pipeline = Effect.map(
      open({ pipeline: true, concurrency: pipelineConcurrency, maxConnections: 1 }),
      (opened) => ({
        ...opened,
        limiter: new ConcurrencyLimiter(pipelineConcurrency, waitForConnection, true),
        ...common,
        fallback: exclusive
      })
    )
    const short = yield* Effect.replicateEffect(pipeline, 4)
    const plannedOnce = { ...(yield* lent(4, { pipeline: false, planOnce: true })), fallback: exclusive }
    const plannedEach = { ...(yield* lent(4, { pipeline: false, planOnce: false })), fallback: exclusive }
    evictable.push(plannedOnce, plannedEach, ...short)
    const counts = (): StorageConnections => {
      const each = [...short, plannedOnce, plannedEach, exclusive].map(({ limiter }) => limiter.counts)
      const sum = (name: "running" | "waiting" | "refused") => each.reduce((total, pool) => total + pool[name], 0)
      return { open: inFlight.connections, busy: sum("running"), waiting: sum("waiting"), refused: sum("refused") }
    }
    // Each pool waits for its statements when it closes.
    yield* Effect.addFinalizer(() => Effect.sync(() => inFlight.close()))
    return { short, plannedOnce, plannedEach, exclusive, counts, servers }
  })

/** The way to the server, with the number of connections that are open on it. */
const counted = ({ driver }: Servers) => {
  let count = 0
  const stream: typeof driver.stream = () => {
    const socket = driver.stream!()
    count++
    return socket.once("close", () => count--)
  }
  return { driver: { ...driver, stream }, open: () => count }
}
