import { expect, it } from "@effect/vitest"
import { shownId } from "../../src/targets/UnknownId.ts"

it("an unknown id is quoted, but not an API key that was sent in its place", () => {
  expect(shownId("0199f0c2-7a51-7c3e-9d1b-000000000000")).toBe("'0199f0c2-7a51-7c3e-9d1b-000000000000'")
  expect(shownId("lat_abcdefABCDEF_0123456789")).toBe("'lat_…'")
  expect(shownId(`${"x".repeat(70)}lat_abcdefABCDEF_0123456789`)).toBe(`'${"x".repeat(70)}lat_…'`)
})
