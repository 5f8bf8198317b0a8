import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import { type Context, Effect, type Layer } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Authenticator } from "../Authenticator.ts"
import type { ToolServices } from "../Tool.ts"
import { wrongMethod } from "./HttpAnswers.ts"

/** What a handler of tool calls needs. */
export type HandlerServices = ToolServices | ListChanges | Authenticator

/**
 * `received` is the context of the fiber that received the request: it has the memory reservation of the answer, the
 * span and the log annotations.
 */
export type WebHandler = (request: Request, received: Context.Context<never>) => Promise<Response>

/** Milliseconds after which the handler is created without a request. */
export const idleMillis = 10_000

/**
 * The route `/mcp`; requires a router, the use cases and an authenticator. The first request creates the handler, so
 * that a server that does more than tools starts without loading them. Without a request it is created after
 * `idleMillis`, since the installed files may change while a server runs. If creation fails, the next request tries
 * again.
 */
export const layer = (
  making: Effect.Effect<WebHandler, never, HandlerServices>
): Layer.Layer<never, never, HttpRouter.HttpRouter | HandlerServices> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const run = Effect.runPromiseWith(yield* Effect.context<HandlerServices>())
      let made: Promise<WebHandler> | undefined
      const ready = () =>
        (made ??= run(making).catch((error: unknown) => {
          made = undefined
          throw error
        }))
      const handler: WebHandler = async (request, received) => (await ready())(request, received)
      const ahead = Effect.promise(() => ready().catch(() => undefined))
      yield* Effect.forkScoped(Effect.andThen(Effect.sleep(idleMillis), ahead))
      const answered = Effect.contextWith((received: Context.Context<never>) =>
        Effect.orDie(HttpEffect.fromWebHandler(async (request) => inOnePiece(await handler(request, received))))
      )
      yield* router.add(
        "*",
        "/mcp",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
          isOfFetch(method) ? answered : Effect.map(wrongMethod, HttpServerResponse.fromWeb)
        )
      )
    })
  )

/** Whether a web-standard request can have this method. */
const isOfFetch = (method: string): boolean => !["CONNECT", "TRACE", "TRACK"].includes(method)

/** Sets the Content-Length of an answer, so that its memory is accounted for; event streams are left as they are. */
const inOnePiece = async (response: Response): Promise<Response> => {
  if (response.body === null || response.headers.has("content-length")) return response
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response
  const bytes = await response.arrayBuffer()
  const headers = new Headers(response.headers)
  headers.set("content-length", String(bytes.byteLength))
  return new Response(bytes, { status: response.status, headers })
}
