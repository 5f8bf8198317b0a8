import { expect, it } from "@effect/vitest"
import { preferred } from "../../src/connection/Servers.ts"

it.each([
  ["none where none accepts writes", [undefined, undefined], 0, undefined],
  ["the only one that accepts writes", [undefined, 1], 0, 1],
  ["the first of equals, as libpq", [undefined, 2, 2], 2, 1],
  ["the one that was promoted last, before a former primary", [1, 2, undefined], 1, 1],
  ["no former primary while the one that was in use is away", [1, undefined], 2, undefined],
  ["the first where they do not tell", [0, 0], 0, 0]
])("of several servers, by their timelines, %s is used", (_, timelines, inUse, expected) => {
  expect(preferred(timelines, inUse)).toBe(expected)
})
