import { expect, it } from "@effect/vitest"
import { inFigures } from "../../src/text/Figures.ts"

it("writes whole numbers as English does", () => {
  for (const value of [0, 7, 999, 1000, 1001, 10_050, 999_999, 1_000_000, 2_147_483_648, -180, -1000, -1_234_567])
    expect(inFigures(value)).toBe(value.toLocaleString("en-US"))
})
