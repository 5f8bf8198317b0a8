import { lookup, type LookupAddress } from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"

/** The allocated global unicast range of IPv6 (RFC 4291); the rest is special or unallocated. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Whether an address is public; false for invalid addresses. */
export const isPublicAddress = (text: string): boolean => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === "unicast"
  if (!ipaddr.IPv6.isValid(text) || text.includes("%")) return false
  const address = ipaddr.IPv6.parse(text)
  return address.range() === "unicast" && address.match(globalUnicast)
}

/** Resolves names: `dns.lookup` except in tests. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** Resolves to public addresses only; the connection uses the address that was checked. */
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
