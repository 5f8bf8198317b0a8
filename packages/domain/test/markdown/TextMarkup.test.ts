import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Inline, parseInline, plainText, searchForms } from "../../src/markdown/TextMarkup.ts"
import { nastyText } from "./ThingArbitrary.ts"

const shown = (parts: ReadonlyArray<Inline>): string =>
  parts.map((part) => ("children" in part ? shown(part.children) : part.text)).join("")

describe("plainText", () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ["**bold** text", "bold text"],
    ["*a* ~~b~~ `c` [d](https://e.org)", "a b c d"],
    ["***a***", "a"],
    ["**a *b* c**", "a b c"],
    ["[**a** b](https://e.org/(c))", "a b"],
    ["`**a**`", "**a**"],
    ["``a ` b``", "a ` b"],
    ["**a", "**a"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["a ~ b ~ c ~d~", "a ~ b ~ c ~d~"],
    ["_a_ __b__", "_a_ __b__"],
    ["[a] (b) [c](d e)", "[a] (b) [c](d e)"],
    ["[a [b](c) d](e)", "[a b d](e)"],
    ["*a [b*](c)", "*a b*"],
    ["\\**a**", "\\a"],
    ["", ""]
  ]
  for (const [text, plain] of cases) it(JSON.stringify(text), () => expect(plainText(text, false)).toBe(plain))
  it("leaves code unchanged", () => expect(plainText("**a**", true)).toBe("**a**"))
})

describe("parseInline", () => {
  it("parses nested markup", () =>
    expect(parseInline("a **b *c*** [`d`](u)")).toStrictEqual([
      { type: "text", text: "a " },
      {
        type: "bold",
        children: [
          { type: "text", text: "b " },
          { type: "italic", children: [{ type: "text", text: "c" }] }
        ]
      },
      { type: "text", text: " " },
      { type: "link", url: "u", children: [{ type: "code", text: "d" }] }
    ]))
  it("gives the same text as plainText", () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        expect(shown(parseInline(text))).toBe(plainText(text, false))
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("searchForms", () => {
  it("are the text and its plain form, folded, each once", () => {
    expect(searchForms("**Bold** TEXT", false)).toStrictEqual(["**bold** text", "bold text"])
    expect(searchForms("Straße", false)).toStrictEqual(["strasse"])
    expect(searchForms("**A**", true)).toStrictEqual(["**a**"])
  })
})
