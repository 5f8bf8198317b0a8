import { expect, it } from "@effect/vitest"
import { preferred } from "../../src/connection/Servers.ts"

it.each([
  ["none if none accepts writes", [undefined, undefined], 0, undefined],
  ["the only one that accepts writes", [undefined, 1], 0, 1],
  ["the first of equals, as with libpq", [undefined, 2, 2], 2, 1],
  ["the one that was promoted last, before a former primary", [1, 2, undefined], 1, 1],
  ["no former primary while the one in use is unreachable", [1, undefined], 2, undefined],
  ["the first if their timelines are unknown", [0, 0], 0, 0]
])("of several servers, by their timelines, %s is used", (_, timelines, inUse, expected) => {
  expect(preferred(timelines, inUse)).toBe(expected)
})
