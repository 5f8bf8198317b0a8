import { lookup, type LookupAddress } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

/** Everything of IPv4 that is not the public internet: this machine, its network, and what is reserved (RFC 6890). */
const reserved = new BlockList()
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
] as const)
  reserved.addSubnet(net, bits, "ipv4")

/** Global unicast of IPv6, and what is special within it: tunnels to IPv4, documentation, benchmarks. */
const unicast = new BlockList()
unicast.addSubnet("2000::", 3, "ipv6")
const special = new BlockList()
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
] as const)
  special.addSubnet(net, bits, "ipv6")

/** Whether an address is one of the public internet; false for everything that is no address. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !reserved.check(address, "ipv4")
  if (isIP(address) !== 6 || address.includes("%")) return false
  return unicast.check(address, "ipv6") && !special.check(address, "ipv6")
}

/** How names are resolved: `dns.lookup` but in tests. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** Lets through public addresses only; the connection goes to the very address that was checked. */
export const publicLookup =
  (resolve: Resolve = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => isPublicAddress(address)) : []
      const [first] = allowed
      if (first === undefined) return callback(error ?? new Error("The name has no public address"), "", 4)
      if (options.all === true) return callback(null, allowed)
      callback(null, first.address, first.family)
    })
  }
