import { expect } from "@effect/vitest"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Interruption } from "@lists-and-things/testing/Interruption"
import { Effect, Layer } from "effect"
import { breakableStorage } from "./BreakableStorage.ts"
import { contract } from "./Given.ts"
import { serverOver } from "./TestServer.ts"

const reading = new Interruption()

const disturbed = Layer.effect(
  ListStore,
  Effect.map(ListStore, (store) => {
    const page: typeof store.page = (...params) => reading.after(store.page(...params))
    return { ...store, page }
  })
)

const withoutStamps = <A extends { readonly stamps?: unknown }>(slot: A): A => {
  const { stamps: _, ...others } = slot
  return others as A
}

/** Admissions do not tell when the account was last written to, as on Citus. */
const unstamped = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (store) => {
    const admit: typeof store.admit = (...params) =>
      Effect.map(store.admit(...params), (slot) => slot && withoutStamps(slot))
    const admitWith: typeof store.admitWith = (...params) =>
      Effect.map(store.admitWith(...params), (read) => read && { ...read, slot: withoutStamps(read.slot) })
    return { ...store, admit, admitWith }
  })
)

const storages = {
  "where the admission tells of writes": Layer.provideMerge(disturbed, breakableStorage),
  "where it does not": Layer.provideMerge(Layer.mergeAll(disturbed, unstamped), breakableStorage)
}

for (const [name, storage] of Object.entries(storages))
  contract(
    `tags of the account, ${name}`,
    (given) => {
      given("are never of a later state than the answer", async (client) => {
        const add = (title: string) => Effect.promise(() => client.ask("POST", "/lists", { title }))
        const copy = { etag: "none", titles: [] as ReadonlyArray<string> }
        const poll = async (headers: Record<string, string>) => {
          const answer = await client.ask("GET", "/lists", undefined, { headers })
          if (answer.status === 304) return
          copy.titles = answer.body.lists.map(({ title }: { title: string }) => title)
          copy.etag = answer.headers.get("etag")!
        }
        reading.next(add("first"))
        await poll({})
        await poll({ "if-none-match": copy.etag })
        expect(copy.titles).toStrictEqual(["first"])
        await Effect.runPromise(add("second"))
        reading.next(add("third"))
        await poll({ "if-none-match": copy.etag })
        await poll({ "if-none-match": copy.etag })
        expect(copy.titles).toStrictEqual(["third", "second", "first"])
      })
    },
    serverOver(storage)
  )
