import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { lineAt, lineOf, pathOf } from "../../src/json/JsonLines.ts"

/** Every value in a JSON value with its path. */
const valuesIn = (
  value: unknown,
  path: ReadonlyArray<string | number>
): ReadonlyArray<ReadonlyArray<string | number>> => [
  path,
  ...(Array.isArray(value) ? value.flatMap((each, at) => valuesIn(each, [...path, at])) : []),
  ...(value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, each]) => valuesIn(each, [...path, key]))
    : [])
]

/** The line of each path in the layout of `JSON.stringify(value, null, 1)`, counted independently. */
const expectedLines = (value: unknown): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  let line = 1
  const walk = (each: unknown, path: ReadonlyArray<string | number>) => {
    lines.set(JSON.stringify(path), line)
    const entries: ReadonlyArray<readonly [string | number, unknown]> = Array.isArray(each)
      ? each.map((item, at) => [at, item] as const)
      : each !== null && typeof each === "object"
        ? Object.entries(each)
        : []
    for (const [key, item] of entries) {
      line++
      walk(item, [...path, key])
    }
    if (entries.length > 0) line++
  }
  walk(value, [])
  return lines
}

describe("the line of a value", () => {
  it("is found for every value of any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value, null, 1)
        const expected = expectedLines(JSON.parse(json))
        for (const path of valuesIn(JSON.parse(json), [])) {
          expect(lineOf(json, path)).toBe(expected.get(JSON.stringify(path)))
        }
      })
    )
  })

  it("is the line of the enclosing value when the value is missing", () => {
    const json = '{\n "a": [\n  { "b": 1 }\n ]\n}'
    expect(lineOf(json, ["a", 0, "missing"])).toBe(3)
    expect(lineOf(json, ["a", 7])).toBe(2)
    expect(lineOf(json, ["z"])).toBe(1)
  })

  it("is the line of the last of duplicate keys", () => {
    expect(lineOf('{\n "a": 1,\n "a": 2\n}', ["a"])).toBe(3)
    expect(lineOf('{\n "a": { "b": 1 },\n "a": 2\n}', ["a", "b"])).toBe(3)
  })

  it("is found beside a value that is nested 100,000 levels deep", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    expect(lineOf(`{\n "a": 1,\n "b": ${deep}\n}`, ["a"])).toBe(2)
  })

  it("is looked up by the path that a field's name gives", () => {
    expect(pathOf("things[12].tags[0]")).toStrictEqual(["things", 12, "tags", 0])
    expect(pathOf("format")).toStrictEqual(["format"])
    expect(pathOf("")).toStrictEqual([])
  })

  it("is counted from one", () => {
    expect(lineAt("a\nb\nc", 0)).toBe(1)
    expect(lineAt("a\nb\nc", 2)).toBe(2)
    expect(lineAt("a\nb\nc", 4)).toBe(3)
  })
})
