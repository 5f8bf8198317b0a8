import ipaddr from "ipaddr.js"

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The allocated global unicast range of IPv6 (RFC 4291); the rest is special or unallocated. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Metadata services of clouds, which hand credentials to machines, as far as they are not link-local: Alibaba, Oracle,
 * Azure, AWS, Google and Scaleway.
 */
const metadata = [
  ...["100.100.100.200", "192.0.0.192", "168.63.129.16"],
  ...["fd00:ec2::254", "fd20:ce::254", "fd00:42::42"]
].map((each) => ipaddr.parse(each))

/** IPv6 prefixes that embed an IPv4 address, and the offset of its first byte. */
const embeddings = [
  ["::ffff:0:0:0/96", 12],
  ["64:ff9b::/96", 12],
  ["64:ff9b:1::/48", 12],
  ["2002::/16", 2],
  ["::/96", 12]
] as const

/** The embedded IPv4 address, if there is one, otherwise the address itself. */
const embeddedIn = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address
  for (const [prefix, from] of embeddings)
    if (address.match(ipaddr.IPv6.parseCIDR(prefix)))
      return new ipaddr.IPv4(address.toByteArray().slice(from, from + 4))
  return address
}

export const isSameAddress = (a: Address, b: Address): boolean => a.kind() === b.kind() && a.toString() === b.toString()

/** Whether an address is link-local or a known metadata service, also when embedded in IPv6. */
export const mayServeMetadata = (address: Address): boolean => {
  const embedded = embeddedIn(address)
  return (
    [address, embedded].some((each) => each.range() === "linkLocal") ||
    metadata.some((each) => isSameAddress(each, embedded))
  )
}

/**
 * Whether an address is on the public internet. Excludes private, shared, loopback, link-local, multicast, reserved and
 * unspecified addresses, IPv6 with an embedded IPv4 address or a zone, and metadata services.
 */
export const isPublic = (address: Address): boolean =>
  address.range() === "unicast" &&
  (!(address instanceof ipaddr.IPv6) || (address.zoneId === undefined && address.match(globalUnicast))) &&
  !mayServeMetadata(address)

/** Whether a text is a public address in the usual notation. */
export const isPublicAddress = (text: string): boolean =>
  (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) && isPublic(ipaddr.parse(text))
