import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { SavePlaceInput } from "@lists-and-things/domain/json/PlaceJson"
import { Places } from "@lists-and-things/domain/places/Places"
import { newAccount } from "@lists-and-things/testing/Fixtures"
import { useCases } from "@lists-and-things/domain/UseCases"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer, Logger } from "effect"
import * as NominatimGeocoder from "@lists-and-things/platform-node/NominatimGeocoder"
import { callerOf } from "@lists-and-things/testing/AsOwner"

/** A service on the loopback whose answer depends on the requested address. */
const service = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      const address = new URL(request.url!, "http://x").searchParams.get("q")!
      asked.push(address)
      if (address === "moved") response.writeHead(302, { location: "/search?q=Main" }).end()
      else if (address === "broken") response.writeHead(500).end("[]")
      else if (address === "large") response.end(`[${" ".repeat(70_000)}]`)
      else if (address === "odd") response.end('[{"lat":"91","lon":"x"}]')
      else if (address === "nowhere") response.end("[]")
      else response.end('[{"place_id":1,"lat":"52.5163","lon":"13.3777"},{"lat":"1","lon":"2"}]')
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search` }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

const world = (url?: string) =>
  useCases.pipe(
    Layer.provideMerge(memory),
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provide(NominatimGeocoder.layer(url))
  )

const saveAll = (addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const account = yield* newAccount()
    const places = yield* Places
    const save = Effect.forEach(addresses, (address) => places.save({ name: address, address }))
    const saved = yield* Effect.provideService(save, Caller, callerOf(account))
    return saved.map(({ place }) => [place.name, place.latitude, place.longitude])
  })

describe("a geocoder", () => {
  it.live("finds the coordinates of a new address, and leaves them unknown after any error", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* service
      const addresses = ["Brandenburg Gate", "nowhere", "moved", "broken", "large", "odd"]
      const saved = yield* saveAll(addresses).pipe(Effect.provide(world(url)))
      expect(saved[0]).toStrictEqual(["Brandenburg Gate", 52.5163, 13.3777])
      expect(saved.slice(1)).toStrictEqual(addresses.slice(1).map((name) => [name, null, null]))
      expect(asked).toStrictEqual(addresses)
    })
  )

  it.live("is asked only for a new address whose coordinates are neither given nor known", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* service
      const found = [52.5163, 13.3777]
      const [latitude, longitude] = [47.1, 13.2] as const
      const given = [latitude, longitude]
      const saved = Effect.gen(function* () {
        const account = yield* newAccount()
        const { save } = yield* Places
        const coordinatesOf = (input: SavePlaceInput) =>
          Effect.map(save(input), ({ place }) => [place.latitude, place.longitude]).pipe(
            Effect.provideService(Caller, callerOf(account))
          )
        expect(yield* coordinatesOf({ name: "Home", address: "Main Street 1" })).toStrictEqual(found)
        expect(yield* coordinatesOf({ name: "HOME", address: "Main Street 1", radiusMeters: 50 })).toStrictEqual(found)
        expect(yield* coordinatesOf({ name: "Home", address: " " })).toStrictEqual(found)
        expect(yield* coordinatesOf({ name: "Hut", address: "Forest Road 3", latitude, longitude })).toStrictEqual(
          given
        )
        expect(yield* coordinatesOf({ name: "Hut" })).toStrictEqual(given)
        expect(asked).toStrictEqual(["Main Street 1"])
        expect(yield* coordinatesOf({ name: "Hut", address: "nowhere" })).toStrictEqual([null, null])
        expect(asked).toStrictEqual(["Main Street 1", "nowhere"])
      })
      yield* saved.pipe(Effect.provide(world(url)))
    })
  )

  it.live("that fails is logged with the reason, without the address", () =>
    Effect.gen(function* () {
      const { url } = yield* service
      const gone = yield* Effect.scoped(service)
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* saveAll(["broken", "large", "odd"]).pipe(Effect.provide(world(url)), Effect.provide(logger))
      yield* saveAll(["Main Street"]).pipe(Effect.provide(world(gone.url)), Effect.provide(logger))
      expect(lines.slice(0, 3)).toStrictEqual([
        "The geocoder found no coordinates: status 500",
        "The geocoder found no coordinates: the answer is too large",
        "The geocoder found no coordinates: its answer is not in Nominatim's format"
      ])
      expect(lines[3]).toContain("ECONNREFUSED")
      expect(lines.join()).not.toContain("Main")
    })
  )

  it.live("is asked only if one is configured", () =>
    Effect.gen(function* () {
      const { asked } = yield* service
      expect(yield* saveAll(["Brandenburg Gate"]).pipe(Effect.provide(world()))).toStrictEqual([
        ["Brandenburg Gate", null, null]
      ])
      expect(asked).toStrictEqual([])
    })
  )
})
