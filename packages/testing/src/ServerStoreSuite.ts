import { expect, layer as withLayer } from "@effect/vitest"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import { type KnownServer, ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import { Effect, type Layer } from "effect"
import { freshId, noon, type Plain, timed } from "./Fixtures.ts"

const server = (overrides: Partial<Plain<KnownServer>> = {}): KnownServer =>
  timed<KnownServer>({
    machine: freshId(),
    host: "127.0.0.1",
    port: 3000,
    url: "http://localhost:3000",
    started: noon,
    seen: noon + 5,
    stopped: null,
    ...overrides
  })

/** The contract of `ServerStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ServerStore, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ServerStore`, (it) => {
    it.effect("keeps one server per machine, address and port: the last", () =>
      Effect.gen(function* () {
        const servers = yield* ServerStore
        const first = server({ machine: "attic" })
        const later = {
          ...first,
          ...timed<Pick<KnownServer, "seen" | "stopped">>({ seen: noon + 6, stopped: noon + 6 })
        }
        const others = [
          server({ machine: "attic", port: 3001, seen: noon + 4 }),
          server({ machine: "attic", host: "::1", seen: noon + 3 }),
          server({ machine: "cellar", url: "https://lists.example.com", seen: noon + 2 })
        ]
        for (const each of [...others, first, later]) yield* servers.put(each)
        expect(yield* servers.all).toStrictEqual([later, ...others])
      })
    )

    it.effect("prunes servers that were last seen long ago, oldest first, and those seen by a clock ahead", () =>
      Effect.gen(function* () {
        const servers = yield* ServerStore
        const outdated = timed<Outdated>({ before: noon - 100, after: noon + 100 })
        const made = [-300, -200, 0, 200].map((offset) => server({ seen: noon + offset }))
        for (const each of made) yield* servers.put(each)
        const left = Effect.map(servers.all, (all) =>
          made.filter((each) => all.some((one) => one.machine === each.machine))
        )
        expect(yield* servers.prune(outdated, 1)).toBe(1)
        expect(yield* left).toStrictEqual(made.slice(1))
        expect(yield* servers.prune(outdated, 10)).toBe(2)
        expect(yield* left).toStrictEqual([made[2]])
        expect(yield* servers.prune(outdated, 10)).toBe(0)
      })
    )
  })
}
