import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { afterEach, describe, expect, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../..")
const running = new Set<ChildProcess>()

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly port: number
  readonly token: string
  readonly ended: Promise<number | null>
}

const own = { LAT_STORAGE: "memory", HOST: "127.0.0.1", PUBLIC_URL: "", DATABASE_URL: "" }

/** `lat-http` as a process of its own, over memory, once it has said where it answers. */
const start = (log: "inherit" | "pipe" | number = "inherit", level = "info"): Promise<Started> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "bin/lat-http.mjs")], {
      env: { ...process.env, ...own, LAT_LOG: level, PORT: "0" },
      stdio: ["ignore", "pipe", log]
    })
    running.add(child)
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
    let out = ""
    child.stdout!.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      const port = /localhost:(\d+)\/api/.exec(out)?.[1]
      const token = /Bearer (lat_\w+)/.exec(out)?.[1]
      if (port !== undefined && token !== undefined) {
        resolve({ child, url: `http://127.0.0.1:${port}`, port: Number(port), token, ended })
      }
    })
    child.once("exit", () => reject(new Error(`ended early: ${out}`)))
  })

afterEach(() => {
  for (const child of running) child.kill("SIGKILL")
  running.clear()
})

describe("lat-http as a process", () => {
  it("with PORT=0, prints the port that it has taken", async () => {
    const { port, url } = await start()
    const read = async (path: string) => (await fetch(`${url}${path}`)).json()
    expect(await read("/api/v1/openapi.json")).toMatchObject({ servers: [{ url: `http://localhost:${port}/api/v1` }] })
    expect(await read("/.well-known/oauth-protected-resource")).toMatchObject({
      resource: `http://localhost:${port}/mcp`
    })
    const challenged = await fetch(`${url}/mcp`, { method: "POST" })
    expect(challenged.headers.get("www-authenticate")).toContain(`="http://localhost:${port}/.well-known/`)
  })

  it("refuses invalid percent-encoding, although a bundler may drop a decoder's call as pure", async () => {
    const { token, url } = await start()
    const made = await fetch(`${url}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ url: "https://me:100%@example.com/", events: ["reminder.due"] })
    })
    expect([made.status, await made.text()]).toEqual([400, expect.stringContaining("percent-encoded")])
  })

  it("on its first start prints a key that works", async () => {
    const { token, url } = await start()
    const response = await fetch(`${url}/api/v1/today`, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
  })

  /** Each request is a line of the log. */
  const outlives = async ({ child, ended, token, url }: Started) => {
    const headers = { authorization: `Bearer ${token}` }
    for (let n = 0; n < 3; n++) {
      const asked = Array.from({ length: 8 }, () => fetch(`${url}/api/v1/lists`, { headers }))
      expect((await Promise.all(asked)).map(({ status }) => status)).toStrictEqual(Array(8).fill(200))
    }
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
  }

  it.runIf(process.platform === "linux")("keeps serving when its log is on a full disk", async () => {
    const full = openSync("/dev/full", "w")
    try {
      await outlives(await start(full, "debug"))
    } finally {
      closeSync(full)
    }
  })

  it.runIf(process.platform === "linux")("starts when its output goes to a full disk", async () => {
    const listener = createServer().listen(0, "127.0.0.1")
    await once(listener, "listening")
    const { port } = listener.address() as AddressInfo
    listener.close()
    await once(listener, "close")
    const full = openSync("/dev/full", "w")
    try {
      const child = spawn(process.execPath, [join(root, "bin/lat-http.mjs")], {
        env: { ...process.env, ...own, PORT: String(port) },
        stdio: ["ignore", full, "inherit"]
      })
      running.add(child)
      const ended = once(child, "exit")
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false
        )
      await until("an answer", async () => child.exitCode !== null || (await answers()))
      child.kill("SIGTERM")
      expect((await ended)[0]).toBe(0)
    } finally {
      closeSync(full)
    }
  })

  it("keeps serving when the reader of its log has gone", async () => {
    const started = await start("pipe", "debug")
    started.child.stderr!.destroy()
    await outlives(started)
  })

  it("on SIGTERM answers requests in flight and exits with 0", async () => {
    const { child, ended, port, token, url } = await start()
    // A connection that stays open without asking anything.
    await fetch(`${url}/healthz`)
    const body = JSON.stringify({ title: "In flight" })
    const socket = connect(port, "127.0.0.1")
    let answer = ""
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.write(
      `POST /api/v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
    )
    await until("the request in flight", () => answer.includes("100 Continue"))
    answer = ""
    child.kill("SIGTERM")
    await until("no new connection", () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true
      )
    )
    socket.write(body)
    await closed
    expect(answer.trimStart()).toMatch(/^HTTP\/1\.1 201 /)
    expect(answer).toMatch(/connection: close/i)
    expect(await ended).toBe(0)
  })

  it("on SIGTERM answers a request that waits for changes with none and its own cursor", async () => {
    const { child, ended, token, url } = await start()
    const ask = (path: string) => fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    const { cursor } = (await (await ask("/changes?cursor=now")).json()) as { readonly cursor: string }
    const waiting = ask(`/changes?cursor=${cursor}&wait=55`)
    let asked = 1
    await until("the request to be counted", async () => {
      asked++
      return Number((await ask("/tags")).headers.get("x-ratelimit-remaining")) < 1000 - asked
    })
    child.kill("SIGTERM")
    const answer = await waiting
    expect([answer.status, await answer.json()]).toStrictEqual([200, { changes: [], cursor, has_more: false }])
    expect(answer.headers.get("connection")).toBe("close")
    expect(await ended).toBe(0)
  })

  it("exits with 0 although a client is stuck", async () => {
    const { child, ended, port, token } = await start()
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    socket.write(
      `POST /api/v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n`
    )
    await once(socket, "data")
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    socket.destroy()
  })
})
