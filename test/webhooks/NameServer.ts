import { createSocket } from "node:dgram"
import { promises } from "node:dns"
import { once } from "node:events"
import { isIPv4 } from "node:net"
import { type Resolve, resolverOf } from "@lists-and-things/platform-node/NameLookup"

/** Returns the addresses of a name for its `time`th query (from 1), or `silence` for no answer. */
export type Zone = (name: string, time: number) => ReadonlyArray<string> | "silence"

interface NameServer {
  /** Resolves names as the product does. */
  readonly resolve: Resolve
  readonly stop: () => void
}

const ofIPv4 = 1
const ofIPv6 = 28

/** The name in the only question, and the offset at which the question ends. */
const questionOf = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  while (query[at] !== 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!))
    at += 1 + query[at]!
  }
  return { name: labels.join("."), end: at + 5 }
}

/** The bytes of an address in hexadecimal, as in `20010db8…`; tests write IPv6 without `::`. */
const bytesOf = (address: string): Buffer =>
  isIPv4(address)
    ? Buffer.from(address.split(".").map(Number))
    : Buffer.from(
        address
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex"
      )

/** A resource record: type, class IN, a TTL of 0 and the address; the name points to that of the question. */
const recordOf = (type: number, address: string): Buffer => {
  const bytes = bytesOf(address)
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes])
}

/** A test name server with a hand-written DNS protocol, since a zone file cannot change its answers. */
export const nameServer = async (zone: Zone): Promise<NameServer> => {
  const socket = createSocket("udp4")
  const times = new Map<string, number>()
  socket.on("message", (query, from) => {
    const { end, name } = questionOf(query)
    const type = query.readUInt16BE(end - 4)
    const asked = `${type} ${name}`
    times.set(asked, (times.get(asked) ?? 0) + 1)
    const found = zone(name, times.get(asked)!)
    if (found === "silence") return
    const records = found
      .filter((address) => type === (isIPv4(address) ? ofIPv4 : ofIPv6))
      .map((address) => recordOf(type, address))
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  const dns = new promises.Resolver({ timeout: 2_000, tries: 2 })
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  return { resolve: resolverOf(() => dns), stop: () => void socket.close() }
}
