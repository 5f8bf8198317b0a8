import { expect, it } from "@effect/vitest"
import { compareZones } from "./EveryZone.ts"

it("occurrences in every time zone equal those of the slow reference", { timeout: 600_000 }, () => {
  expect(compareZones(Intl.supportedValuesOf("timeZone"))).toBeGreaterThan(300_000)
})
