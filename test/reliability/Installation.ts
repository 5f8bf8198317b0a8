import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys, type NewKey } from "@lists-and-things/domain/caller/ApiKeys"
import { useCases } from "@lists-and-things/domain/UseCases"
import { until } from "@lists-and-things/testing/Until"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startTestPostgres, type TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** A process of `lat-http`. */
export interface Host {
  readonly child: ChildProcess
  readonly url: string
  readonly port: number
  /** The output so far. */
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<number | null>
}

export interface Person {
  readonly accountId: string
  readonly keyId: string
  readonly token: string
}

/** A PostgreSQL, servers of the product that use it, and people with keys. `close` ends all of them. */
export interface Installation {
  readonly postgres: TestServer
  /** Starts a server, by default without a proxy to the database; resolves when it has printed its address. */
  readonly serve: (options?: {
    readonly database?: string
    readonly env?: Readonly<Record<string, string>>
  }) => Promise<Host>
  readonly person: (key?: Partial<NewKey>) => Promise<Person>
  /** Creates another key of the person's account. */
  readonly keyOf: (person: Person) => Promise<Person>
  readonly revoke: (keyId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts `lat-http` without waiting for it; `listening` waits for its address. */
export const launch = (database: string, env: Readonly<Record<string, string>> = {}): Host => {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(process.execPath, [join(root, "bin/lat-http.mjs")], {
    env: {
      PATH,
      HOME,
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: database,
      // Tests send webhooks to the loopback.
      LAT_WEBHOOK_ALLOW: "127.0.0.1",
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const ended = once(child, "close").then(([code]) => code as number | null)
  const port = () => Number(/localhost:(\d+)\/api/.exec(out)?.[1])
  return {
    child,
    get url() {
      return `http://127.0.0.1:${port()}`
    },
    get port() {
      return port()
    },
    out: () => out,
    err: () => err,
    ended
  }
}

/** Waits until a server has printed its address. */
export const listening = async (host: Host): Promise<Host> => {
  await until("a server that listens", () => {
    if (host.child.exitCode !== null) throw new Error(`It ended early: ${host.out()}${host.err()}`)
    return host.port > 0
  })
  return host
}

let people = 0

export const openInstallation = async (settings: ReadonlyArray<string> = []): Promise<Installation> => {
  const postgres = await startTestPostgres({ version: 18, settings })
  return installationOver(postgres, Redacted.value(postgres.url()))
}

/** An installation over a running PostgreSQL, by a URL that may name other servers too; `close` also stops that PostgreSQL. */
export const installationOver = (postgres: TestServer, url: string): Installation => {
  const runtime = ManagedRuntime.make(
    useCases.pipe(
      Layer.provideMerge(PgStorage.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Layer.provideMerge(NodeCrypto.layer)
    )
  )
  const hosts: Array<Host> = []
  return {
    postgres,
    serve: async ({ database = url, env } = {}) => {
      const host = launch(database, env)
      hosts.push(host)
      return listening(host)
    },
    person: (key = {}) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const account = yield* (yield* Accounts).create({ email: `person-${++people}@example.com` })
          const made = yield* (yield* ApiKeys).create({ account: account.id, rateLimit: 1_000_000_000, ...key })
          return { accountId: account.id, keyId: made.key.id, token: made.token }
        })
      ),
    keyOf: ({ accountId }) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const made = yield* (yield* ApiKeys).create({ account: accountId, rateLimit: 1_000_000_000 })
          return { accountId, keyId: made.key.id, token: made.token }
        })
      ),
    revoke: (keyId) => runtime.runPromise(Effect.flatMap(ApiKeys, (keys) => keys.revoke(keyId))),
    close: async () => {
      for (const { child } of hosts) child.kill("SIGKILL")
      await Promise.all(hosts.map(({ ended }) => ended))
      await runtime.dispose()
      await postgres.stop()
    }
  }
}

/** The URL of the database through a proxy on this port. */
export const through = (port: number, database = "postgres"): string =>
  `postgres://postgres:not-checked-here@127.0.0.1:${port}/${database}`

/** The socket at which a PostgreSQL server listens, for proxies. */
export const socketOf = ({ folder }: TestServer) => ({ path: join(folder, ".s.PGSQL.5432") })
