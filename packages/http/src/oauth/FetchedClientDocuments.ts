import { Effect, Layer } from "effect"
import { lookup, type LookupAddress } from "node:dns"
import { request } from "node:https"
import { BlockList, type LookupFunction } from "node:net"
import { ClientDocuments } from "@lists-and-things/domain/signin/ClientDocuments"
import { OAuthError } from "@lists-and-things/domain/signin/OAuthError"

const maxMillis = 5_000
const maxBytes = 64 * 1024

/** Everything that is not the public internet: this machine, its network, and what is reserved (RFC 6890). */
const notPublic = new BlockList()
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
  notPublic.addSubnet(net, bits, "ipv4")
for (const [net, bits] of [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8]
] as const)
  notPublic.addSubnet(net, bits, "ipv6")

export const isPublicAddress = (address: string): boolean =>
  !notPublic.check(address, address.includes(":") ? "ipv6" : "ipv4")

/** Resolves a name and lets through public addresses only; the connection goes to the very address that was checked. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: Array<LookupAddress>) => {
    const allowed = error === null ? addresses.filter(({ address }) => isPublicAddress(address)) : []
    const [first] = allowed
    if (first === undefined) return callback(error ?? new Error("The name has no public address"), "", 4)
    if (options.all === true) return callback(null, allowed)
    callback(null, first.address, first.family)
  })
}

const refusal = (description: string) => new OAuthError({ code: "invalid_client", description })

/** Whether an address can be asked at all: https, a name and no literal address, the usual port, a path. */
export const isDocumentUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    url.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "" &&
    url.port === "" &&
    url.pathname !== "/" &&
    !/^[\d.]+$|^\[/.test(url.hostname) &&
    url.href === text
  )
}

const fetchText = (url: string): Effect.Effect<string, OAuthError> =>
  Effect.callback<string, OAuthError>((resume) => {
    const asked = request(
      url,
      { lookup: publicLookup, headers: { accept: "application/json" }, agent: false },
      (response) => {
        const chunks: Array<Buffer> = []
        let bytes = 0
        if (response.statusCode !== 200) return fail("The document at client_id did not answer 200.")
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxBytes) return fail("The document at client_id is larger than 64 kB.")
          chunks.push(chunk)
        })
        response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
        response.on("error", () => fail("The document at client_id broke off."))
      }
    )
    const fail = (description: string) => {
      asked.destroy()
      resume(Effect.fail(refusal(description)))
    }
    asked.on("error", () => fail("The document at client_id cannot be fetched."))
    asked.end()
    return Effect.sync(() => asked.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: maxMillis,
      orElse: () => Effect.fail(refusal("The document at client_id took longer than 5 seconds."))
    })
  )

/** Client metadata documents from the public internet: the only thing that this server ever fetches for a stranger. */
export const layer = Layer.succeed(ClientDocuments, {
  fetch: (url) =>
    isDocumentUrl(url)
      ? Effect.flatMap(fetchText(url), (text) =>
          Effect.try({
            try: (): unknown => JSON.parse(text),
            catch: () => refusal("The document at client_id is no JSON.")
          })
        )
      : Effect.fail(refusal("client_id must be an https URL with a path, at a public name."))
})
