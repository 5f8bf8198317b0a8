import { Redacted } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { askAt, serverUser } from "./TestServer.ts"

/** A PgBouncer in transaction mode in front of a test server. */
export interface Pooler {
  readonly port: number
  readonly stop: () => Promise<void>
}

const program = "/usr/sbin/pgbouncer"

const hasPgBouncer = (): boolean => existsSync(program)

/** Debian's settings where they are silent: a client's transaction is the unit that gets a connection to the server. */
const settings = (folder: string, port: number, connections: number, log: string) => `[databases]
* = host=${folder} port=5432 user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 2000
logfile = ${log}
`

export const pooledAddress = (port: number, database: string): Redacted.Redacted<string> =>
  Redacted.make(`postgres://postgres@127.0.0.1:${port}/${database}`)

/** Starts a PgBouncer; the caller stops it. `connections` is the number it opens to the server for each database. */
export const startPgBouncer = async (socketFolder: string, port: number, connections: number): Promise<Pooler> => {
  if (!hasPgBouncer()) throw new Error("PgBouncer is not installed: on Debian 12, apt-get install pgbouncer")
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), "lat-pooler-"))
  chmodSync(folder, 0o755)
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(file, settings(socketFolder, port, connections, join(folder, "log")))
  const running = spawn(program, ["-q", file], { ...user, cwd: folder, stdio: "ignore" })
  const ended = new Promise((resolve) => running.once("exit", resolve))
  await until("a PgBouncer that answers", async () => {
    if (running.exitCode !== null) throw new Error("PgBouncer did not start")
    return askAt(pooledAddress(port, "postgres"), "select 1").then(Boolean, () => false)
  })
  return {
    port,
    stop: async () => {
      running.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
