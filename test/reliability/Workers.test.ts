import { execFileSync, spawn } from "node:child_process"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { once } from "node:events"
import { join } from "node:path"
import { ask } from "./Ask.ts"
import { type Host, launch, openInstallation } from "./Installation.ts"

const installation = await openInstallation()
afterAll(() => installation.close())

const childrenOf = ({ child }: Host): ReadonlyArray<number> => {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
  const pairs = listed
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === child.pid).map(([pid]) => pid!)
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("LAT_WORKERS=2", () => {
  it("serves with two processes, replaces one that is killed, and ends both on SIGTERM", async () => {
    const host = await installation.serve({ env: { LAT_WORKERS: "2", LAT_LOG: "debug" } })
    const { token } = await installation.person()
    await until("two workers that answer", () => host.err().match(/Worker \d+ answers/g)?.length === 2)
    expect(host.out().match(/answers at/g)).toHaveLength(1)
    const before = childrenOf(host)

    for (const title of ["a", "b", "c", "d"]) {
      const made = await ask(host.url, "POST", "/lists", { token, body: { title } })
      expect(made.status).toBe(201)
    }

    process.kill(before[0]!, "SIGKILL")
    await until("another worker", () => {
      const now = childrenOf(host)
      return now.length === 2 && !now.includes(before[0]!) && now.includes(before[1]!)
    })
    await until("word of it", () => host.err().includes(`Worker ${before[0]!} ended (SIGKILL)`))
    expect((await ask(host.url, "GET", "/lists", { token })).status).toBe(200)

    const workers = childrenOf(host)
    host.child.kill("SIGTERM")
    expect(await host.ended).toBe(0)
    for (const pid of workers) expect(isRunning(pid)).toBe(false)
  })

  it("survives a worker that is killed while it waits for the metrics of all", async () => {
    const program = join(import.meta.dirname, "AskingWorkers.ts")
    const host = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    for (const stream of [host.stdout, host.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()))
    const ended = once(host, "close")
    try {
      await until("the worker in its place", () => {
        if (host.exitCode !== null) throw new Error(`It ended early: ${out}`)
        return out.includes("worker 2 serves")
      })
    } finally {
      host.kill("SIGTERM")
      await ended
    }
    expect(out).toContain("worker 1 is gone")
  })

  it("keeps its port with PORT=0, also if no worker listens for a while", async () => {
    const program = join(import.meta.dirname, "LastListener.ts")
    const host = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "ignore"] })
    let out = ""
    host.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    const ended = once(host, "close")
    try {
      await until("the first worker and two in its place", () => (out.match(/listens/g)?.length ?? 0) >= 3)
    } finally {
      host.kill("SIGTERM")
      await ended
    }
    expect(new Set(out.match(/listens at \d+/g)).size).toBe(1)
  })

  it("ends with one line if the first worker is killed before it answers", async () => {
    const program = join(import.meta.dirname, "DyingWorker.ts")
    const host = spawn(process.execPath, [program], { stdio: ["ignore", "ignore", "pipe"] })
    let err = ""
    host.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    expect(await once(host, "close")).toStrictEqual([1, null])
    expect(err).toMatch(/^Worker \d+ ended \(SIGKILL\), and nothing is served: start again\n$/)
  })

  it("ends with one line if the first worker cannot start", async () => {
    const host = launch("postgres://nobody@127.0.0.1:1/nothing?target_session_attrs=standby", { LAT_WORKERS: "2" })
    expect(await host.ended).toBe(1)
    expect(host.err().trim().split("\n")).toHaveLength(1)
    expect(host.err()).toContain("DATABASE_URL")
  })

  it("is refused with memory storage", async () => {
    const host = launch("", { LAT_WORKERS: "2", LAT_STORAGE: "memory" })
    expect(await host.ended).toBe(1)
    expect(host.err()).toBe(
      "LAT_WORKERS: LAT_STORAGE=memory is the memory of one process: leave one of the two variables out\n"
    )
  })
})
