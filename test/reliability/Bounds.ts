import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { ask, closeIdle } from "./Ask.ts"
import { startFaultProxy } from "./FaultProxy.ts"
import { openInstallation, socketOf, through } from "./Installation.ts"

interface Sample {
  readonly rssMiB: number
  readonly files: number
  readonly connections: number
}

interface Bounds {
  readonly early: Sample
  readonly late: Sample
  readonly requests: Record<string, number>
  /** The 99th percentile of the milliseconds until `/healthz` answered, which a busy event loop raises. */
  readonly health: { readonly p50: number; readonly p99: number; readonly max: number }
}

/** Runs a steady load with faults of every kind in turn, and bodies of 4 MB that are refused. */
export const boundsUnderLoad = async (seconds: number, perSecond: number): Promise<Bounds> => {
  const installation = await openInstallation(["fsync=off"])
  const proxy = await startFaultProxy(socketOf(installation.postgres))
  try {
    const host = await installation.serve({ database: through(proxy.port) })
    const { token } = await installation.person()
    const requests: Record<string, number> = {}
    const healths: Array<number> = []
    const seen = (kind: string) => {
      requests[kind] = (requests[kind] ?? 0) + 1
    }
    const large = JSON.stringify({ title: "x".repeat(4_000_000) })
    const flying = new Set<Promise<void>>()
    const begin = (run: Promise<void>) => {
      const noted = run.finally(() => flying.delete(noted))
      flying.add(noted)
    }
    const one = async (n: number) => {
      const day = `2030-0${1 + (n % 9)}-1${n % 10}`
      const answer = await (n % 10 === 0
        ? ask(host.url, "PATCH", "/things/bulk", { token, body: { ids: [], set: { favorited: true } } })
        : n % 4 === 0
          ? ask(host.url, "POST", "/lists", {
              token,
              body: { title: `list ${n}` },
              headers: { "idempotency-key": `k${n}` }
            })
          : ask(host.url, "GET", n % 3 === 0 ? `/today?date=${day}` : "/lists", { token }))
      seen(String(answer.status))
    }
    const sample = async (): Promise<Sample> => {
      // Only the server's own files and connections of requests in progress stay open.
      closeIdle()
      await sleep(300)
      const status = readFileSync(`/proc/${host.child.pid}/status`, "utf8")
      const [row] = await installation.postgres.sql(
        "select count(*)::int4 as n from pg_stat_activity where application_name like 'lists-and-things %'"
      )
      return {
        rssMiB: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
        files: readdirSync(`/proc/${host.child.pid}/fd`).length,
        connections: row?.n as number
      }
    }
    const tick = async (n: number) => {
      const from = performance.now()
      await ask(host.url, "GET", "//healthz")
      healths.push(performance.now() - from)
      if (n % 5 === 0) {
        const { status } = await fetch(`${host.url}/api/v1/lists`, {
          method: "POST",
          body: large,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
        })
        seen(`4 MB ${status}`)
      }
    }
    const faults = [
      { kind: "pass" },
      { kind: "reset" },
      { kind: "pass" },
      { kind: "latency", millis: 20 },
      { kind: "pass" }
    ] as const
    let early: Sample | undefined
    const total = seconds * perSecond
    const from = performance.now()
    for (let n = 0; n < total; n++) {
      begin(one(n).catch(() => seen("no answer")))
      if (n % Math.ceil(perSecond / 5) === 0) begin(tick(n / Math.ceil(perSecond / 5)).catch(() => seen("no answer")))
      // Each fault lasts a second; ten of every fifteen are quiet.
      const second = Math.floor(n / perSecond)
      if (n % perSecond === 0) proxy.set(faults[second % 15 < 5 ? second % 5 : 0]!)
      if (early === undefined && n > total / 5) early = await sample()
      await sleep(Math.max(0, from + ((n + 1) * 1_000) / perSecond - performance.now()))
    }
    proxy.set({ kind: "pass" })
    await Promise.all(flying)
    await sleep(2_000)
    const late = await sample()
    const sorted = healths.toSorted((a, b) => a - b)
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]! * 10) / 10
    return { early: early!, late, requests, health: { p50: at(0.5), p99: at(0.99), max: at(1) } }
  } finally {
    await installation.close()
    await proxy.close()
  }
}
