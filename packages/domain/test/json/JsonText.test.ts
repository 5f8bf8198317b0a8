import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { parseJsonBytes, parseJsonText, readJsonText } from "../../src/json/JsonText.ts"
import { CurrentTimeSlices } from "../../src/scheduling/TimeSlices.ts"

const read = (text: string) => readJsonText(text)
const reason = (text: string) => {
  const result = read(text)
  return Result.isFailure(result) ? result.failure.message : "accepted"
}
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("the text of a body", () => {
  it("is accepted as any well-formed JSON without lone surrogates", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes("\\u0000"))
        const result = read(text)
        if (Result.isSuccess(result)) expect(result.success).toStrictEqual(JSON.parse(text))
        else expect(result.failure.message).toMatch(/lone surrogates|deeper/)
      })
    )
  })

  it("is refused exactly when an escaped string has a lone surrogate", () => {
    const escape = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(0xd800, 0xdbff, 0xdc00, 0xdfff), fc.integer({ min: 1, max: 0xffff }))),
        (units) => {
          const text = `"${units.map(escape).join("")}"`
          const isWellFormed = (JSON.parse(text) as string).isWellFormed()
          expect(Result.isSuccess(read(text))).toBe(isWellFormed)
        }
      )
    )
  })

  const bad = String.raw`"a\u0000"`
  const rule = "must be text without U+0000 and without lone surrogates"
  it.each([
    [`{"items":[${`{"text":"[,:]{\\""},`.repeat(37)}{"tags":["x"],"text":${bad}}]}`, "items[37].text"],
    [`{"set":{"a":{"b":[1,[2,3]],"c":{}},"text":${bad}}}`, "set.text"],
    [`{"a":1,${bad}:2}`, "a key"],
    [`{"a":{${bad}:2}}`, "a.a key"],
    [`[[],${bad}]`, "[1]"],
    [`{"\\u0061b":${bad}}`, "ab"],
    [`{"${"k".repeat(5_000)}":${bad}}`, `${"k".repeat(40)}…`]
  ])("is refused with the path of a string that cannot be stored: %#", (text, path) => {
    expect(reason(text)).toBe(String.raw`${path} ${rule}, but has \u0000 as its character 2`)
  })

  it("is refused with the path of such a string in an array", () => {
    const text = String.raw`{"items":[{"text":"x","tags":["a","\ud800"]}]}`
    expect(reason(text)).toBe(String.raw`items[0].tags[1] ${rule}, but has \ud800 as its character 1`)
  })

  it.each([
    [String.raw`{"text":"\ud83d\uDE42 🙂\n\udC00\u0000"}`, String.raw`\udC00 as its character 5`],
    [String.raw`{"text":"${"🙂".repeat(70_000)}\uD83Dx"}`, String.raw`\uD83D as its character 70,001`],
    [`{"text":"a line\nthat is not escaped\\u0000"}`, String.raw`\u0000 as its character 27`]
  ])("is refused with what cannot be stored, and where it is in the string: %#", (text, found) => {
    expect(reason(text)).toBe(`text ${rule}, but has ${found}`)
  })

  it("is refused without a path if it is such a string itself", () => {
    expect(reason(bad)).toBe("The body must not contain U+0000 or lone surrogates in its strings")
  })

  it.each([
    ['{"a":1,}', "at character 8"],
    ['{"🙂":1,}', "at character 8"],
    ['{"a": True}', "at character 7"],
    ["[1,]", "at character 4"],
    ["{'a':1}", "at character 2"],
    [`["${"é".repeat(2_000)}", NaN]`, "at character 2,006"],
    ['{"a":1', "at its end"],
    ['{"a":\n', "at its end"]
  ])("is refused with the position at which it is not JSON: %#", (text, place) => {
    expect(reason(text)).toBe(`The body must be valid JSON, which it is not ${place}`)
  })

  it("may contain an escaped backslash before a u", () => {
    expect(Result.isSuccess(read(String.raw`{"a":"C:\\u0000dir"}`))).toBe(true)
  })

  it.each([
    [String.raw`{"a":"\u0000"}`, /U\+0000/],
    [String.raw`{"\u0000":1}`, /U\+0000/],
    [String.raw`["\ud800"]`, /lone surrogates/],
    [String.raw`["\ud800x"]`, /lone surrogates/],
    [String.raw`["\udc00\ud800"]`, /lone surrogates/],
    ["", /is required/],
    [" \n", /is required/],
    ["{", /valid JSON/],
    ["{'a':1}", /valid JSON/],
    ["[1,]", /valid JSON/],
    ['"unterminated', /valid JSON/],
    [nested(65), /64 levels/],
    ['{"a":'.repeat(65) + "1" + "}".repeat(65), /64 levels/],
    ["[".repeat(1_000_000), /64 levels/],
    [JSON.stringify({ items: Array.from({ length: 5_001 }, () => ({})) }), /that many values/],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`k${at}`, 1]))), /that many values/],
    [JSON.stringify(Array.from({ length: 4_000 }, () => Array.from({ length: 30 }, () => 1))), /that many values/],
    [JSON.stringify({ a: [{ ["k".repeat(10_001)]: 1 }] }), /longer than 10,000 characters/]
  ])("is refused: %j", (text, expected) => {
    expect(reason(text)).toMatch(expected)
    expect(reason(text).length).toBeLessThan(120)
  })

  it("may have as many values as any operation takes", () => {
    const tags = Array.from({ length: 50 }, (_, at) => `tag ${at}`)
    const photos = Array.from({ length: 10 }, () => "https://example.com/a.jpg")
    const thing = { ...Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, "a,b"])), tags, photos }
    expect(reason(JSON.stringify({ items: Array.from({ length: 500 }, () => thing) }))).toBe("accepted")
  })

  it("may have long values, and keys of up to 10,000 characters", () => {
    expect(reason(JSON.stringify({ a: ["v".repeat(20_000), { ["k".repeat(10_000)]: "v".repeat(20_000) }] }))).toBe(
      "accepted"
    )
  })

  it("may have 64 levels, not counting brackets in strings", () => {
    expect(reason(nested(64))).toBe("accepted")
    expect(reason(JSON.stringify(["[".repeat(1000)]))).toBe("accepted")
  })

  it("is read with the last of duplicate keys", () => {
    expect(Effect.runSync(parseJsonText('{"a":1,"a":2}'))).toStrictEqual({ a: 2 })
  })

  it("may contain any string with the option anyString", () => {
    const text = String.raw`["\u0000\ud800", "\"["]`
    expect(Effect.runSync(parseJsonText(text, { anyString: true }))).toStrictEqual(JSON.parse(text))
  })

  it("may begin with a byte order mark, and is refused if it is not UTF-8", () => {
    const bytes = (...values: Array<number>) => Effect.runSync(Effect.result(parseJsonBytes(new Uint8Array(values))))
    expect(Result.isSuccess(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBe(true)
    for (const bad of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22]
    ]) {
      const result = bytes(...bad)
      expect(Result.isFailure(result) && result.failure.message).toMatch(/UTF-8/)
    }
  })

  it.effect("is read completely, even if it has megabytes", () =>
    Effect.gen(function* () {
      const value = { a: "\\u00e9[{".repeat(400_000) }
      expect(yield* parseJsonText(JSON.stringify(value))).toStrictEqual(value)
    })
  )

  it.effect("is read with yields in between, with the same result wherever they fall", () =>
    Effect.gen(function* () {
      const kilobyte = 1024
      let turns = 0
      const slices = { isDue: () => true, yieldNow: Effect.sync(() => void turns++) }
      const inTurns = (text: string) => Effect.provideService(parseJsonText(text), CurrentTimeSlices, slices)
      for (let shift = 0; shift < 16; shift++) {
        const value = ["x".repeat(64 * kilobyte - 8 + shift), { a: '\\" \ud83c\udf89]}'.repeat(200 * kilobyte) }, "y"]
        for (const text of [
          JSON.stringify(value),
          JSON.stringify(value).replaceAll("\ud83c\udf89", "\\ud83c\\udf89")
        ]) {
          turns = 0
          expect(yield* inTurns(text)).toStrictEqual(value)
          expect(turns).toBeGreaterThan(text.length / (66 * kilobyte))
          expect(yield* Effect.flip(inTurns(`${text.slice(0, -2)}\\ud800"]`))).toMatchObject({ field: "[2]" })
        }
      }
    })
  )
})
