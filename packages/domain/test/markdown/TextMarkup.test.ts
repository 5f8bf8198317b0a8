import { assert, describe, it } from "@effect/vitest"
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
  for (const [text, plain] of cases) it(JSON.stringify(text), () => assert.strictEqual(plainText(text, false), plain))
  it("leaves code as it is", () => assert.strictEqual(plainText("**a**", true), "**a**"))
})

describe("parseInline", () => {
  it("nests", () =>
    assert.deepStrictEqual(parseInline("a **b *c*** [`d`](u)"), [
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
  it("shows what plainText shows", () => {
    fc.assert(
      fc.property(nastyText, (text) => assert.strictEqual(shown(parseInline(text)), plainText(text, false))),
      { numRuns: 1_000 }
    )
  })
})

describe("searchForms", () => {
  it("are the text and its plain form, folded, each once", () => {
    assert.deepStrictEqual(searchForms("**Bold** TEXT", false), ["**bold** text", "bold text"])
    assert.deepStrictEqual(searchForms("Straße", false), ["strasse"])
    assert.deepStrictEqual(searchForms("**A**", true), ["**a**"])
  })
})
