import ipaddr from "ipaddr.js"

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The allocated global unicast range of IPv6 (RFC 4291); the rest is special or unallocated. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Metadata services of clouds, from which machines get their passwords. Those that are not link-local: Alibaba, Oracle,
 * Azure, AWS, Google and Scaleway.
 */
const metadata = [
  ...["100.100.100.200", "192.0.0.192", "168.63.129.16"],
  ...["fd00:ec2::254", "fd20:ce::254", "fd00:42::42"]
].map((each) => ipaddr.parse(each))

/** How IPv6 carries an IPv4 address: the prefix, and the first of the four bytes. */
const carriers = [
  ["::ffff:0:0:0/96", 12],
  ["64:ff9b::/96", 12],
  ["64:ff9b:1::/48", 12],
  ["2002::/16", 2],
  ["::/96", 12]
] as const

/** The address that is reached in the end. */
const carriedBy = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address
  for (const [prefix, from] of carriers)
    if (address.match(ipaddr.IPv6.parseCIDR(prefix)))
      return new ipaddr.IPv4(address.toByteArray().slice(from, from + 4))
  return address
}

export const isSameAddress = (a: Address, b: Address): boolean => a.kind() === b.kind() && a.toString() === b.toString()

/** Link-local addresses, which may serve metadata, and other metadata services, however they are written. */
export const mayServeMetadata = (address: Address): boolean => {
  const carried = carriedBy(address)
  return (
    [address, carried].some((each) => each.range() === "linkLocal") ||
    metadata.some((each) => isSameAddress(each, carried))
  )
}

/**
 * Whether an address is one of the internet. Private, shared, loopback, link-local, multicast, reserved and unspecified
 * ones are not, nor IPv6 that carries IPv4 or has a zone, nor metadata services.
 */
export const isPublic = (address: Address): boolean =>
  address.range() === "unicast" &&
  (!(address instanceof ipaddr.IPv6) || (address.zoneId === undefined && address.match(globalUnicast))) &&
  !mayServeMetadata(address)

/** Whether an address is public; false for what is no address in the usual notation. */
export const isPublicAddress = (text: string): boolean =>
  (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) && isPublic(ipaddr.parse(text))
