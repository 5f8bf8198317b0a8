import { connect } from "node:net"
import { Effect, Latch, Layer, Logger, References, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import { Unauthorized } from "@lists-and-things/domain/model/Errors"
import * as Server from "../src/Server.ts"
import type { NodeRequest } from "../src/edge/NodeRequest.ts"
import { pendingAnswer } from "../src/edge/PendingAnswer.ts"
import { respondTo } from "../src/edge/ErrorResponses.ts"
import { readJson } from "../src/edge/RequestBody.ts"

/** Accepts no key: these servers have no operations of their own. */
const noKeys = Layer.succeed(
  ApiKeys,
  ApiKeys.of({
    deferAdmission: () => new DeferredCaller(() => Effect.fail(new Unauthorized())),
    admit: () => Effect.fail(new Unauthorized()),
    identify: () => Effect.fail(new Unauthorized()),
    create: () => Effect.die("not here"),
    list: () => Effect.succeed([]),
    revoke: () => Effect.void
  })
)

const nobodyWaits = Layer.succeed(
  ChangeWaiters,
  ChangeWaiters.of({
    begin: () => () => {},
    wait: () => Effect.succeed("closing"),
    checkLimit: () => Effect.void,
    count: () => 0,
    close: Effect.void
  })
)

/** The number of requests that have reached a waiting handler, and the latch that releases those to `/held`. */
export const held = { entered: 0, letGo: Latch.makeUnsafe() }

const enter = Effect.sync(() => {
  held.entered++
})

/**
 * Continuations of the requests that wait at `/pending`; each request ends by an answer, a defect or its client's
 * leaving.
 */
export const waiting = new Set<(next: Effect.Effect<HttpServerResponse.HttpServerResponse>) => void>()

const pending = new Pending<HttpServerResponse.HttpServerResponse, never>((ended) => {
  waiting.add(ended)
  return () => waiting.delete(ended)
})

/** Unsent bytes at each piece of `/long`. */
export const unsent: Array<number> = []

const longPieces = 1_000
const longPiece = new Uint8Array(64 * 1024)
export const longBytes = longPieces * longPiece.length

const longOf = (request: HttpServerRequest.HttpServerRequest) => {
  const { response } = request as NodeRequest
  const piece = Effect.sync(() => {
    unsent.push(response.writableLength)
    return longPiece
  })
  return HttpServerResponse.stream(Stream.take(Stream.fromEffectRepeat(piece), longPieces))
}

/** Routes that show what the edge does: echo a body, take a while, never end, break. */
const routes = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    yield* router.add(
      "POST",
      "/echo",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.matchEffect(readJson(request), {
          onFailure: respondTo,
          onSuccess: (value) => Effect.succeed(HttpServerResponse.jsonUnsafe({ value }))
        })
      )
    )
    yield* router.add(
      "GET",
      "/",
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) =>
        HttpServerResponse.text(`${headers["host"]} ${url}`)
      )
    )
    yield* router.add("GET", "/slow", Effect.succeed(HttpServerResponse.jsonUnsafe({ slow: true })))
    const free = Effect.suspend(() => held.letGo.await)
    yield* router.add(
      "GET",
      "/held",
      Effect.andThen(enter, Effect.as(free, HttpServerResponse.jsonUnsafe({ held: true })))
    )
    yield* router.add("GET", "/never", Effect.andThen(enter, Effect.never))
    yield* router.add("GET", "/deaf", Effect.uninterruptible(Effect.andThen(enter, Effect.never)))
    yield* router.add("GET", "/large", HttpServerResponse.text("x".repeat(2 * 1024 * 1024)))
    yield* router.add("GET", "/pending", pendingAnswer(pending))
    const half = Stream.concat(Stream.make(new Uint8Array(10)), Stream.die(new Error("secret internals")))
    yield* router.add("GET", "/cut", HttpServerResponse.stream(half))
    yield* router.add("GET", "/long", Effect.map(HttpServerRequest.HttpServerRequest, longOf))
    yield* router.add("GET", "/broken", Effect.die(new Error("secret internals")))
  })
)

/** The annotations of log lines about requests. */
export const logged: Array<unknown> = []

const log = Logger.layer([
  Logger.make(({ fiber, message }) => {
    logged.push({ message, ...fiber.getRef(References.CurrentLogAnnotations) })
  })
])

export const edgeServer = Server.layer(routes, { host: "127.0.0.1", port: 0, stopTimeout: 500 }).pipe(
  Layer.provide(log),
  Layer.provide(noKeys),
  Layer.provide(nobodyWaits)
)

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Whether a complete answer has come; an interim answer (100) has no body. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1]
  return length === undefined || Buffer.byteLength(text.slice(end + 4)) >= Number(length)
}

/** Sends bytes as they are and reads until there is an answer, or the server closes. */
export const raw = (port: number, request: string | ReadonlyArray<string | Buffer>): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const done = () => {
      socket.destroy()
      const [head = "", ...rest] = text.split("\r\n\r\n")
      if (text === "") return reject(new Error("closed without an answer"))
      resolve({ status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") })
    }
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8")
      if (isWhole(text)) done()
    })
    socket.on("close", done)
    socket.on("error", () => {})
    for (const part of typeof request === "string" ? [request] : request) socket.write(part)
  })
