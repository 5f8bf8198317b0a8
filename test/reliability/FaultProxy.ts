import * as Net from "node:net"

/** What happens to the bytes of every connection from now on. */
type Mode =
  | { readonly kind: "pass" }
  | { readonly kind: "latency"; readonly millis: number }
  /** Drops all bytes without an error. */
  | { readonly kind: "blackhole" }
  /** Resets all connections now, and new ones at once. */
  | { readonly kind: "reset" }

/** What happens to a piece from a client: it passes, the connection is reset before or after it, or it is replaced. */
export type Verdict = "pass" | "cut-before" | "cut-after" | { readonly instead: Buffer }

/** Splits the bytes of a client into pieces and decides on each; created for every connection. */
export type Inspector = (bytes: Buffer) => ReadonlyArray<{ readonly bytes: Buffer; readonly verdict: Verdict }>

export interface FaultProxy {
  readonly port: number
  readonly set: (mode: Mode) => void
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export type Upstream = { readonly path: string } | { readonly host: string; readonly port: number }

/** A TCP proxy on the loopback that can inject faults. `cut` is called as soon as a connection is cut. */
export const startFaultProxy = async (
  upstream: Upstream,
  inspector: () => Inspector = () => (bytes) => [{ bytes, verdict: "pass" }],
  cut: () => void = () => {}
): Promise<FaultProxy> => {
  let mode: Mode = { kind: "pass" }
  const sockets = new Set<Net.Socket>()
  const clients = new Set<Net.Socket>()
  const delayed = new WeakMap<Net.Socket, Array<Buffer | string>>()
  const send = (bytes: Buffer | string, to: Net.Socket) => void (to.writable && to.write(bytes))
  /** Bytes that arrive during a delay are queued behind it, since a stream keeps its order. */
  const forward = (bytes: Buffer | string, to: Net.Socket) => {
    if (mode.kind !== "latency" && mode.kind !== "pass") return
    const waiting = delayed.get(to) ?? []
    if (mode.kind === "pass" && waiting.length === 0) return send(bytes, to)
    delayed.set(to, waiting)
    waiting.push(bytes)
    setTimeout(() => send(waiting.shift()!, to), mode.kind === "pass" ? 0 : mode.millis)
  }

  const server = Net.createServer((client) => {
    if (mode.kind === "reset") return void client.resetAndDestroy()
    const up = Net.connect(upstream)
    const inspect = inspector()
    let deaf = false
    client.on("data", (received: Buffer) => {
      for (const { bytes, verdict } of inspect(received)) {
        if (deaf) return
        if (verdict === "cut-before") {
          deaf = true
          cut()
          client.resetAndDestroy()
          up.destroy()
        } else if (verdict === "cut-after") {
          deaf = true
          up.write(bytes)
          // The first bytes of the answer show that the server has run the statement; they are not forwarded.
          up.once("data", () => {
            cut()
            client.resetAndDestroy()
          })
        } else if (verdict === "pass") forward(bytes, up)
        else forward(verdict.instead, up)
      }
    })
    up.on("data", (bytes: Buffer) => {
      if (!deaf) forward(bytes, client)
    })
    clients.add(client)
    client.on("close", () => clients.delete(client))
    for (const [socket, other] of [
      [client, up],
      [up, client]
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        other.destroy()
        sockets.delete(socket)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    port: (server.address() as Net.AddressInfo).port,
    set: (next) => {
      mode = next
      if (next.kind === "reset") for (const client of clients) client.resetAndDestroy()
    },
    connections: () => clients.size,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}
