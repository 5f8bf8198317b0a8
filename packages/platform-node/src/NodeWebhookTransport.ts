import { createHmac } from "node:crypto"
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import {
  type WebhookAnswer,
  type WebhookRequest,
  WebhookTransport
} from "@lists-and-things/domain/ports/WebhookTransport"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { Effect, Layer } from "effect"
import { connectionFailure } from "./ConnectionFailure.ts"
import { limitInterim } from "./InterimAnswers.ts"
import { checkedLookup, type Resolve, resolveName } from "./NameLookup.ts"
import {
  type Allowed,
  allowedBy,
  allowVariable,
  literalOf,
  mayConnect,
  refusalOf,
  resolvingFirst
} from "./WebhookAddresses.ts"

/** Timeout for the head of a response, in milliseconds. */
const maxMillis = 15_000
/** Milliseconds after that to wait for the beginning of the body. */
const bodyMillis = 1_000
/** Timeout for resolving a name when a URL is set, in milliseconds. */
const lookupMillis = 5_000
/** Bytes of a response body that are read. */
const maxBytes = 1_024
/** Characters of a response body that are kept. */
const maxCharacters = 200

const refused = (address = "The name"): string => `${address} is not a public address; ${allowVariable} can allow it`

const signatureOf = ({ secrets, text }: WebhookRequest["signed"]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
      return `v1,${createHmac("sha256", key).update(text).digest("base64")}`
    })
    .join(" ")

/** The body as storable text: NUL replaced, and cut between characters. */
const textOf = (chunks: ReadonlyArray<Buffer>): string =>
  firstCharacters(
    Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8").replaceAll("\u0000", "\ufffd"),
    maxCharacters
  )

type Answered = Omit<WebhookAnswer, "durationMillis">

const nothing = (text: string): Answered => ({
  status: null,
  text: firstCharacters(text, maxCharacters),
  retryAfter: null
})

/** The outcome depends on the head alone. Reads the beginning of the body as far as it arrives in time. */
const readAnswer = (asked: ClientRequest, response: IncomingMessage, done: (answer: Answered) => void): void => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  const end = () => {
    clearTimeout(timer)
    done({
      status: response.statusCode ?? null,
      text: textOf(chunks),
      retryAfter: response.headers["retry-after"] ?? null
    })
  }
  const timer = setTimeout(end, bodyMillis)
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) end()
  })
  response.on("end", end)
  response.on("error", end)
  response.on("close", end)
  // Node reports a broken or malformed body on the request.
  asked.on("error", end)
}

/** Which addresses requests may go to, and how names are resolved. */
interface Network {
  readonly allowed: Allowed
  readonly resolve: Resolve
}

/**
 * Opens a new connection for each attempt, since the receiver may have closed a kept one. Uses no agent, since the
 * global one may obey proxy variables. Throws if the user name or password in the URL cannot be decoded.
 */
const request = ({ allowed, resolve }: Network, url: URL, { headers, signed }: WebhookRequest, bytes: Buffer) => {
  const send = url.protocol === "https:" ? requestHttps : requestHttp
  return send(url, {
    method: "POST",
    agent: false,
    lookup: checkedLookup(resolve, (address) => mayConnect(allowed, url, address), refused),
    headers: { ...headers, "webhook-signature": signatureOf(signed), "content-length": bytes.length }
  })
}

const post = (network: Network, sent: WebhookRequest): Effect.Effect<Answered> =>
  Effect.callback<Answered>((resume) => {
    const url = new URL(sent.url)
    const literal = literalOf(url)
    if (literal !== undefined && !mayConnect(network.allowed, url, literal)) {
      resume(Effect.succeed(nothing(refused(literal))))
      return
    }
    const bytes = Buffer.from(sent.body, "utf8")
    const asked = request(network, url, sent, bytes)
    const done = (answer: Answered) => {
      clearTimeout(timer)
      asked.destroy()
      resume(Effect.succeed(answer))
    }
    const timer = setTimeout(() => done(nothing("No answer within 15 seconds.")), maxMillis)
    const closed = () => done(nothing("The connection was closed without an answer."))
    const failed = (error: NodeJS.ErrnoException) => done(nothing(connectionFailure(error)))
    limitInterim(asked)
    asked.on("response", (response) => {
      clearTimeout(timer)
      asked.off("close", closed).off("error", failed)
      readAnswer(asked, response, done)
    })
    asked.on("error", failed)
    asked.on("close", closed)
    asked.end(bytes)
    return Effect.sync(() => {
      clearTimeout(timer)
      asked.destroy()
    })
  }).pipe(Effect.catchDefect((defect) => Effect.succeed(nothing(`The URL cannot be used: ${String(defect)}`))))

const send =
  (network: Network) =>
  (request: WebhookRequest): Effect.Effect<WebhookAnswer> =>
    Effect.suspend(() => {
      const began = performance.now()
      const answered = post(network, request)
      return Effect.map(answered, (answer) => ({ ...answer, durationMillis: performance.now() - began }))
    })

/** `allow` holds the entries of `LAT_WEBHOOK_ALLOW`; `others` resolves names that are not among them. */
export const layer = (allow: ReadonlyArray<string>, others: Resolve = resolveName): Layer.Layer<never> => {
  const allowed = allowedBy(allow)
  const resolve = resolvingFirst(allowed, others)
  const addressesOf = (name: string) =>
    resolve(name).then(
      (found) => found.map(({ address }) => address),
      () => []
    )
  return Layer.succeed(WebhookTransport, {
    send: send({ allowed, resolve }),
    refusal: (url) =>
      Effect.promise(() => refusalOf(allowed, url, addressesOf)).pipe(
        Effect.timeoutOrElse({ duration: lookupMillis, orElse: () => Effect.succeed(undefined) })
      )
  })
}
