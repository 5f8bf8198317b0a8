import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { PieceWriter, piecesOfText } from "../../src/text/LongText.ts"

const part = fc
  .tuple(fc.constantFrom("a", "\n", "🦊", "line\n", "", "é"), fc.constantFrom(0, 1, 9, 20_000, 70_000))
  .map(([text, count]) => text.repeat(count))

describe("a text in pieces", () => {
  it("is whole, in pieces of a bounded length that divide no character", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const writer = new PieceWriter()
        for (const each of parts) writer.add(each)
        const text = writer.written()
        expect(text.toString()).toBe(parts.join(""))
        expect(text.length).toBe(parts.join("").length)
        expect(JSON.stringify({ text })).toBe(JSON.stringify({ text: parts.join("") }))
        for (const piece of text.pieces) {
          expect(piece.length).toBeLessThan(2 * 65_536)
          expect(piece.isWellFormed()).toBe(true)
        }
      }),
      { seed: 11, numRuns: 100 }
    )
  })

  it("ends each piece behind a line, unless the line is longer than a piece", () => {
    const lines = [..."a".repeat(3)].map((each) => `${each.repeat(60_000)}\n`)
    expect(piecesOfText(lines.join(""))).toStrictEqual(lines)
    expect(piecesOfText("a".repeat(65_536)).map(({ length }) => length)).toStrictEqual([65_536])
    expect(piecesOfText(`${"a".repeat(65_535)}🦊${"b".repeat(65_536)}`).map(({ length }) => length)).toStrictEqual([
      65_537, 65_536
    ])
  })
})
