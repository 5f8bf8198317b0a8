import { hasOneHost, percentDecoded } from "@lists-and-things/domain/text/Urls"
import ipaddr from "ipaddr.js"
import { type Resolve, resolveBySystem } from "./NameLookup.ts"
import { type Address, isPublic, isSameAddress, mayServeMetadata } from "./PublicAddress.ts"

type Range = readonly [first: Address, bits: number]

/** Where webhooks may go in addition to public addresses over https. */
export interface Allowed {
  readonly ranges: ReadonlyArray<Range>
  /** In lower case, without a dot at the end. */
  readonly names: ReadonlySet<string>
}

/** The variable by which an operator allows further addresses. */
export const allowVariable = "LAT_WEBHOOK_ALLOW"

/** Parses a range (CIDR); a range of IPv4-mapped addresses, such as `::ffff:10.0.0.0/104`, becomes one of IPv4. */
const rangeOf = (text: string): Range => {
  const [first, bits] = ipaddr.parseCIDR(text)
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress() && bits >= mappedBits
  return isMapped ? [first.toIPv4Address(), bits - mappedBits] : [first, bits]
}

/** Length of the prefix of IPv4-mapped addresses. */
const mappedBits = 96

/** Parses addresses, ranges and host names that the settings have accepted. */
export const allowedBy = (entries: ReadonlyArray<string>): Allowed => {
  const ranges: Array<Range> = []
  const names = new Set<string>()
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(rangeOf(entry))
    else if (ipaddr.isValid(entry)) {
      const address = ipaddr.process(entry)
      ranges.push([address, address.kind() === "ipv4" ? 32 : 128])
    } else names.add(nameOf(entry))
  }
  return { ranges, names }
}

const isIn = (address: Address, [first, bits]: Range): boolean =>
  address.kind() === first.kind() && address.match(first as never, bits)

/**
 * Whether the operator allowed an address for URLs with this host. A metadata service must be allowed by its exact
 * address.
 */
const isAllowed = (allowed: Allowed, host: string, address: Address): boolean => {
  const exact = allowed.ranges.some(
    ([first, bits]) => bits === (first.kind() === "ipv4" ? 32 : 128) && isSameAddress(first, address)
  )
  if (exact) return true
  if (mayServeMetadata(address)) return false
  return allowed.names.has(host) || allowed.ranges.some((range) => isIn(address, range))
}

/** Whether a request to this URL may connect to an address. */
export const mayConnect = (allowed: Allowed, url: URL, text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (isAllowed(allowed, nameOf(url.hostname), address)) return true
  return url.protocol === "https:" && isPublic(address)
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, "")

/** The address if a URL's host is one, in whatever notation it was written; undefined for a name. */
export const literalOf = ({ hostname }: URL): string | undefined => {
  const text = hostname.replace(/^\[|\]$/g, "")
  return ipaddr.isValid(text) ? text : undefined
}

/** Names that mean this machine, whatever they resolve to. */
const isLocalName = (name: string): boolean =>
  /(?:^|\.)localhost$|^localhost\.localdomain$|^ip6-(?:localhost|loopback)$/.test(name)

/** Resolves names that the operator allowed by the system resolver; `others` resolves all others. */
export const resolvingFirst =
  ({ names }: Allowed, others: Resolve): Resolve =>
  (name) =>
    names.has(nameOf(name)) ? resolveBySystem(name) : others(name)

/**
 * Why a webhook may not go to this URL, worded to follow the field's name; undefined if it may. A name that does not
 * resolve is accepted, since it may exist later.
 */
export const refusalOf = async (
  allowed: Allowed,
  text: string,
  resolve: (name: string) => Promise<ReadonlyArray<string>>
): Promise<string | undefined> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an https URL such as https://ntfy.sh/my-topic"
  if (!hasOneHost(url)) return "must be one https URL, of one host, such as https://ntfy.sh/my-topic"
  if (url.port === "0") return "must have a port from 1 to 65535, or none"
  if (percentDecoded(url.username + url.password) === undefined)
    return "must have its user name and password percent-encoded, such as %25 for %"
  const literal = literalOf(url)
  const name = nameOf(url.hostname)
  const local = isLocalName(name) ? ["127.0.0.1", "::1"] : undefined
  const addresses = literal === undefined ? (local ?? (await resolve(url.hostname))) : [literal]
  if (addresses.some((address) => mayConnect(allowed, url, address))) return undefined
  const isOpen =
    addresses.length === 0 || addresses.some((each) => ipaddr.isValid(each) && isPublic(ipaddr.process(each)))
  if (!isOpen)
    return `must not lead into a private network (${addresses[0]}): whoever runs the server can allow it with ${allowVariable}`
  if (url.protocol === "http:" && !allowed.names.has(name))
    return `must be https, such as https://${url.host}: http is for the addresses and names in ${allowVariable} only`
  return undefined
}
