import { lookup, type LookupAddress, promises } from "node:dns"
import type { LookupFunction } from "node:net"

/** Resolves a name to all its addresses; rejects if it has none. */
export type Resolve = (name: string) => Promise<ReadonlyArray<LookupAddress>>

/**
 * Resolves as other programs on this machine do: hosts file, DNS with search domains, mDNS. Occupies a thread of the
 * small pool that files and password hashes need too, until the answer arrives.
 */
export const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)))
  })

/** Concurrent system lookups of names that anonymous clients chose. */
const maxSystemLookups = 2
/** Milliseconds that a lookup may wait for its turn. The deadline is checked when its turn comes. */
const maxWaitMillis = 10_000

interface Queued {
  readonly begin: () => void
  readonly expire: () => void
  /** Deadline on the monotonic clock, in milliseconds. */
  readonly until: number
}
const queue: Array<Queued> = []
let underWay = 0

const beginNext = (): void => {
  while (underWay < maxSystemLookups) {
    const next = queue.shift()
    if (next === undefined) return
    if (performance.now() > next.until) next.expire()
    else {
      underWay++
      next.begin()
    }
  }
}

const inTurn: Resolve = (name) =>
  new Promise((resolve, reject) => {
    const ended = () => {
      underWay--
      beginNext()
    }
    queue.push({
      begin: () => void resolveBySystem(name).then(resolve, reject).finally(ended),
      expire: () => reject(new Error(`Looking up ${name} took too long`)),
      until: performance.now() + maxWaitMillis
    })
    beginNext()
  })

interface Dns {
  readonly resolve4: (name: string) => Promise<ReadonlyArray<string>>
  readonly resolve6: (name: string) => Promise<ReadonlyArray<string>>
}

/** Whether a name server did not answer. A hostile one would not answer the system's resolver either. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ETIMEOUT", "ECANCELLED"].includes(String(error.code))

/**
 * Resolves names that anonymous clients choose. Asks DNS first, which occupies no thread while a name server is silent; names
 * that are not found there go to the system resolver, few at a time. `connect` reads the machine's name servers,
 * initially and after a timeout, since the machine may have changed networks.
 */
export const resolverOf = (connect: () => Dns): Resolve => {
  let dns = connect()
  return async (name) => {
    const asked = dns
    const [four, six] = await Promise.allSettled([asked.resolve4(name), asked.resolve6(name)])
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : [])
    ]
    if (found.length > 0) return found
    if (four.status === "rejected" && isSilence(four.reason)) {
      if (dns === asked) dns = connect()
      throw four.reason
    }
    return inTurn(name)
  }
}

/** `resolverOf` with the name servers of this machine. */
export const resolveName: Resolve = resolverOf(() => new promises.Resolver({ timeout: 2_000, tries: 2 }))

/**
 * A `lookup` for Node's requests that returns only permitted addresses. The connection uses one of these without
 * resolving the name again, so that an answer cannot change after the check.
 */
export const checkedLookup =
  (
    resolve: Resolve,
    mayConnect: (address: string) => boolean,
    refusal: (address: string | undefined) => string
  ): LookupFunction =>
  (hostname, options, callback) => {
    const answer = (found: ReadonlyArray<LookupAddress>): void => {
      const open = found.filter(({ address }) => mayConnect(address))
      const [first] = open
      if (first === undefined) callback(new Error(refusal(found[0]?.address)), "", 4)
      else if (options.all === true) callback(null, open)
      else callback(null, first.address, first.family)
    }
    const fail = (error: Error): void => callback(error, "", 4)
    void resolve(hostname).then(answer, fail)
  }
