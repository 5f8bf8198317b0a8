import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import { normalize, streamSafe } from "../../src/text/Normalization.ts"
import { fold } from "../../src/text/TextFold.ts"

/** Combining classes 240, 1, 230 and 220, two that are two marks each, one without a class, letters that take them. */
const alphabet = [
  ..."aeIİΐσΣßÄ\u1ebf",
  ..."\u0345\u0334\u0301\u0323",
  "\u0344",
  "\u0f73",
  "\u093e",
  "\u034f",
  "\ud834\udd5e",
  " "
]
const marked = fc.array(fc.constantFrom(...alphabet), { maxLength: 200, size: "max" }).map((parts) => parts.join(""))
const nonStarterRun = /[\u0300-\u034e\u0350-\u036f\u0f71\u0f72]+/gu

/** The longest run of combining marks that the engine's normalization was given. */
const longestGiven = (work: () => void): number => {
  const spy = vi.spyOn(String.prototype, "normalize")
  work()
  const given = spy.mock.contexts.map((text) => String(text))
  spy.mockRestore()
  return Math.max(0, ...given.flatMap((text) => (text.match(nonStarterRun) ?? []).map((run) => [...run].length)))
}

afterEach(() => vi.restoreAllMocks())

describe("normalization", () => {
  it.each(["", "Ärger", "e\u0301", "ngu\u1ebfn", "क्षत्रिय", "שָׁלוֹם", `Z${"\u0334".repeat(30)}`])(
    "keeps %j as NFC has it",
    (text) => {
      expect(streamSafe(text)).toBe(text)
      expect(normalize(text)).toBe(text.normalize("NFC"))
    }
  )

  it("gives the engine no run of more than 30 marks, however long the text", () => {
    for (const length of [100, 10_000, 16_000]) {
      const text = "\u0345".repeat(length) + "\u0334".repeat(length)
      expect(longestGiven(() => fold(text))).toBeLessThanOrEqual(31)
    }
  })

  it("breaks runs up after 30 non-starters, with a grapheme joiner", () => {
    expect(streamSafe("\u0334".repeat(30))).toBe("\u0334".repeat(30))
    expect(streamSafe("\u0334".repeat(31))).toBe(`${"\u0334".repeat(30)}\u034f\u0334`)
    expect(streamSafe(`a${"\u0334".repeat(61)}`)).toBe(
      `a${"\u0334".repeat(30)}\u034f${"\u0334".repeat(30)}\u034f\u0334`
    )
  })

  it("counts what a character is decomposed to", () => {
    expect(streamSafe("\u0344".repeat(16))).toBe(`${"\u0344".repeat(15)}\u034f\u0344`)
    expect(streamSafe(`\u1ebf${"\u0334".repeat(29)}`)).toBe(`\u1ebf${"\u0334".repeat(28)}\u034f\u0334`)
  })

  it("leaves no longer run, and what it made as it is", () => {
    fc.assert(
      fc.property(marked, (text) => {
        const safe = normalize(text)
        for (const [run] of safe.normalize("NFD").matchAll(nonStarterRun))
          expect([...run].length).toBeLessThanOrEqual(30)
        expect(normalize(safe)).toBe(safe)
        expect(safe.replaceAll("\u034f", "").length > 0).toBe(text.replaceAll("\u034f", "").length > 0)
      }),
      { seed: 11, numRuns: 300 }
    )
  })

  it("folds what it folded to itself", () => {
    fc.assert(
      fc.property(marked, (text) => {
        expect(fold(fold(text))).toBe(fold(text))
      }),
      { seed: 11, numRuns: 300 }
    )
  })

  it("takes every character that Unicode sorts for a mark", () => {
    for (let code = 0x300; code < 0xe_0200; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const character = String.fromCodePoint(code)
      const sorted = `\u0345${character}`.normalize("NFD") !== `\u0345${character.normalize("NFD")}`
      if (sorted) expect(character).toMatch(/\p{M}/u)
    }
  })
})
