import { lookup, type LookupAddress, promises } from "node:dns"
import type { LookupFunction } from "node:net"

/** Resolves a name to all of its addresses; rejects where it has none. */
export type Resolve = (name: string) => Promise<ReadonlyArray<LookupAddress>>

/**
 * Asks as every program on this machine does: the hosts file, DNS with its search domains, mDNS. Takes one of the few
 * threads that files and passwords need, too, for as long as the answer takes.
 */
export const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)))
  })

/** Names of strangers that the system is asked for at a time. */
const mostBySystem = 2
/** Milliseconds that a name may wait for its turn; one that waited longer fails when its turn comes. */
const mostWaited = 10_000

interface Waiting {
  readonly begin: () => void
  readonly expire: () => void
  /** By the monotonic clock. */
  readonly until: number
}
const waiting: Array<Waiting> = []
let underWay = 0

const beginNext = (): void => {
  while (underWay < mostBySystem) {
    const next = waiting.shift()
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
    waiting.push({
      begin: () => void resolveBySystem(name).then(resolve, reject).finally(ended),
      expire: () => reject(new Error(`Looking up ${name} took too long`)),
      until: performance.now() + mostWaited
    })
    beginNext()
  })

interface Dns {
  readonly resolve4: (name: string) => Promise<ReadonlyArray<string>>
  readonly resolve6: (name: string) => Promise<ReadonlyArray<string>>
}

/** No answer: a name server that is kept silent on purpose would not answer the system either. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ETIMEOUT", "ECANCELLED"].includes(String(error.code))

/**
 * Resolves names that strangers choose: by DNS, which takes no thread while a name server keeps silent, and for names
 * that are not there by the system, few at a time. `connect` reads which name servers to ask, as it does again after
 * silence: the machine may have moved to another network since.
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

/** `resolverOf` over the name servers that this machine is set up with. */
export const resolveName: Resolve = resolverOf(() => new promises.Resolver({ timeout: 2_000, tries: 2 }))

/** Resolves to the addresses that may be connected to; the connection uses one of these, without another look. */
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
