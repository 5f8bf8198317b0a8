import { Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { askAt } from "./TestServer.ts"

/** A coordinator (node 0) and two workers, with one database that is distributed over the workers. */
export interface CitusCluster {
  readonly url: Redacted.Redacted<string>
  /** Runs one statement on a node, the coordinator by default. */
  readonly sql: (text: string, node?: number) => Promise<ReadonlyArray<PgConnection.Row>>
  /** Has the workers log every statement; how many transactions they have prepared since, for a commit in two phases. */
  readonly countPrepared: () => Promise<() => number>
  readonly stop: () => void
}

const workers = [1, 2]

const tool = join(import.meta.dirname, "../../../../../shared/tools/citus-cluster.sh")

/** Why no cluster can be started here; undefined where one can. */
export const noCitus = (): string | undefined => {
  if (!existsSync(tool)) return "the tool that starts a cluster is not beside this repository"
  return process.getuid?.() === 0 ? undefined : "starting one needs root, for Debian's packages"
}

/** Starts a cluster on three ports from `port` on. The caller stops it. */
export const startCitus = (port: number): CitusCluster => {
  const folder = mkdtempSync(join(tmpdir(), "lat-citus-"))
  const nodes = join(folder, "nodes")
  execFileSync("chmod", ["755", folder])
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync("bash", [tool, ...args], { encoding: "utf8", stdio: "pipe" })
  const stop = () => {
    run("down", nodes)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    run("up", nodes, String(port))
  } catch (error) {
    stop()
    throw error
  }
  const address = (node: number) => Redacted.make(`postgres://postgres@127.0.0.1:${port + node}/lists_and_things`)
  const sql: CitusCluster["sql"] = (text, node = 0) => askAt(address(node), text)
  const preparedBy = (worker: number) =>
    readFileSync(join(nodes, `log${worker}`), "utf8").split("PREPARE TRANSACTION").length - 1
  return {
    url: address(0),
    sql,
    countPrepared: async () => {
      for (const worker of workers) {
        await sql("alter system set log_statement = 'all'", worker)
        await sql("select pg_reload_conf()", worker)
      }
      return () => workers.reduce((total, worker) => total + preparedBy(worker), 0)
    },
    stop
  }
}
