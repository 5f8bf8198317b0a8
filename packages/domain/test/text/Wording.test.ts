import { expect, it } from "@effect/vitest"
import { counted, enumerated, inFigures, sentence } from "../../src/text/Wording.ts"

it("inFigures formats whole numbers like en-US", () => {
  for (const value of [0, 7, 999, 1000, 1001, 10_050, 999_999, 1_000_000, 2_147_483_648, -180, -1000, -1_234_567])
    expect(inFigures(value)).toBe(value.toLocaleString("en-US"))
})

it("counted writes a number with its noun", () => {
  expect(counted(1, "thing")).toBe("1 thing")
  expect(counted(0, "thing")).toBe("0 things")
  expect(counted(10_000, "reply", "replies")).toBe("10,000 replies")
})

it("enumerated lists names up to a number", () => {
  expect(enumerated([])).toBe("")
  expect(enumerated(["a"])).toBe("a")
  expect(enumerated(["a", "b", "c"])).toBe("a, b and c")
  expect(enumerated(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more")
})

it("sentence ends a message with a full stop", () => {
  expect(["a", "a.", "a?"].map(sentence)).toStrictEqual(["a.", "a.", "a?"])
})
