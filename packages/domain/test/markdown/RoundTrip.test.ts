import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { renderMarkdown, renderSteps } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import type { ParsedThing } from "../../src/markdown/ParsedThing.ts"
import { nastyText, stored, written } from "./ThingArbitrary.ts"

const runs = Number(process.env["LAT_PROPERTY_RUNS"] ?? 400)

describe("a list written out and read again", () => {
  it("has the same things", () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 8 }), (things) => {
        const markdown = renderMarkdown({ title: "List" }, things.map(stored))
        const again = parseMarkdown(markdown, { title: "first-heading" })
        expect(again.title).toBe("List")
        expect(again.items, markdown).toStrictEqual(things)
      }),
      { numRuns: runs }
    )
  })

  it("has the same title", () => {
    fc.assert(
      fc.property(
        nastyText.filter((title) => title.trim() !== ""),
        (title) => {
          const markdown = renderMarkdown({ title }, [stored({ text: "a" })])
          expect(parseMarkdown(markdown, { title: "first-heading" }).title, markdown).toBe(title)
        }
      ),
      { numRuns: runs }
    )
  })

  it("has the same thing with CR LF line ends and a BOM", () => {
    fc.assert(
      fc.property(
        written.filter((thing) => !thing.note.includes("\r")),
        (thing) => {
          const markdown = `\uFEFF${renderMarkdown({ title: "List" }, [stored(thing)]).replaceAll("\n", "\r\n")}`
          expect(parseMarkdown(markdown, { title: "first-heading" }).items).toStrictEqual([thing])
        }
      ),
      { numRuns: runs }
    )
  })

  it("can come from any document, and has the same things again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(nastyText, fc.constantFrom("\n", "  ", "\n- ", "\n> ", "\n1. ", "\n    ")), {
          maxLength: 12
        }),
        (parts) => {
          const { items } = parseMarkdown(parts.join(""), { title: "none" })
          const kept = items.filter((item) => item.text.trim() !== "" || item.url !== "" || item.photos.length > 0)
          const again = parseMarkdown(renderMarkdown({ title: "L" }, kept.map(stored)), { title: "first-heading" })
          // A construct that extends to the end, such as an open comment, is written as text.
          const shown = (items: ReadonlyArray<ParsedThing>) =>
            items.map((item) => ({ ...item, markup: item.code ? item.markup : "" }))
          expect(shown(again.items)).toStrictEqual(shown(kept))
        }
      ),
      { numRuns: runs }
    )
  })
})

describe("pauses", () => {
  it("come while an indented note of many lines is written", () => {
    const note = "a\n".repeat(500_000)
    const nested = [stored({ text: "b", type: "todo" }), stored({ text: "c", type: "todo", tabs: 1, note })]
    const steps = renderSteps({ title: "d" }, nested)
    let [pauses, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) pauses++
    expect(pauses).toBeGreaterThan(15)
    expect(step.value.pieces.length).toBeGreaterThan(15)
    for (const piece of step.value.pieces) expect(piece.length).toBeLessThan(140_000)
    expect(parseMarkdown(step.value.toString(), { title: "first-heading" }).items.at(-1)?.note === note).toBe(true)
  })
})
