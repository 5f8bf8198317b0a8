import { layer } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { Places } from "@lists-and-things/domain/places/Places"
import { callerOf } from "@lists-and-things/testing/AsOwner"
import { Effect, type Layer } from "effect"
import { type Client, type ClientOptions, serverLayer, type TestServer, testServer } from "./TestServer.ts"

export type Given = (
  name: string,
  run: (client: Client, server: TestServer) => Promise<void>,
  options?: ClientOptions
) => void

/** A group of tests against one running server; each test has an account and a key of its own. */
export const contract = (
  name: string,
  tests: (given: Given) => void,
  server: Layer.Layer<Layer.Success<typeof serverLayer>, unknown> = serverLayer
): void =>
  layer(server, { excludeTestServices: true })(name, (it) =>
    tests((title, run, options) =>
      it.effect(title, () =>
        Effect.flatMap(testServer, (server) => Effect.promise(async () => run(await server.client(options), server)))
      )
    )
  )

/** Runs use cases of the server as the owner of the client's account. */
export const asOwnerOf =
  (client: Client, server: TestServer) =>
  <A, E>(use: Effect.Effect<A, E, Accounts | Places | Caller>): Promise<A> =>
    Effect.gen(function* () {
      const account = yield* (yield* Accounts).get(client.accountId)
      return yield* Effect.provideService(use, Caller, callerOf(account))
    }).pipe(Effect.provide(server.context), Effect.runPromise)

/** A new list with these things; their ids in order. */
export const listOf = async (client: Client, things: ReadonlyArray<object | string>, list: object = {}) => {
  const items = things.map((thing) => (typeof thing === "string" ? { text: thing } : thing))
  const made = await client.ask("POST", "/lists", { title: "A list", ...list, things: items })
  const view = await client.ask("GET", `/lists/${made.body.list.id}`)
  return {
    id: made.body.list.id as string,
    ids: (view.body.things as ReadonlyArray<{ id: string }>).map((thing) => thing.id)
  }
}

export const textsOf = async (client: Client, listId: string): Promise<ReadonlyArray<string>> =>
  (await client.ask("GET", `/lists/${listId}`)).body.things.map((thing: { text: string }) => thing.text)
