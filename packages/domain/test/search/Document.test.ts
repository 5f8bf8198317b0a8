import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AccountId } from "../../src/model/Ids.ts"
import type { Thing } from "../../src/model/Thing.ts"
import { listDocument } from "../../src/markdown/Document.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"
import * as Fixtures from "@lists-and-things/testing/Fixtures"

const owner = AccountId.make(Fixtures.freshId())
const list = Fixtures.list(owner)

const documentOf = (things: ReadonlyArray<Partial<Thing>>): string =>
  runStepsSync(
    listDocument(
      list,
      things.map((each) => Fixtures.thing(owner, list.id, each))
    )
  ).text.toString()

describe("a list as a document", () => {
  it("has one thing per line with its marker, two spaces per tab, and notes below", () => {
    const things = [
      { text: "Trip", type: "none", header: true },
      { text: "Packing", type: "number", subheader: true, completed: true },
      { text: "clothes", type: "todo", note: "warm ones\n\nand a hat" },
      { text: "socks", type: "todo", tabs: 1, completed: true },
      { text: "ties", type: "todo", tabs: 2, canceled: true },
      { text: "wash them", type: "number" },
      { text: "a dash", type: "dash", url: "https://example.com/" },
      { text: "a bullet", type: "bullet" },
      { text: "", type: "photo", photos: ["https://example.com/a.jpg", "https://example.com/b.jpg"] },
      { text: "a line", type: "none" }
    ] as const
    expect(documentOf(things).split("\n")).toStrictEqual([
      "# Trip",
      "[x] ## Packing",
      "[ ] clothes",
      "    warm ones",
      "",
      "    and a hat",
      "  [x] socks",
      "    [-] ties",
      "1. wash them",
      "- a dash https://example.com/",
      "- a bullet",
      "https://example.com/a.jpg https://example.com/b.jpg",
      "a line"
    ])
  })

  it("is at most a few times as long as its texts, however deep they are and however many lines they have", () => {
    const tabs = 1_000
    const [code, note] = ["a\n".repeat(4_999), "a\n".repeat(50_000)]
    const things = [
      { text: code, code: true, tabs },
      { text: "b", note, tabs },
      ...Array.from({ length: 20 }, () => ({ text: "c", tabs }))
    ]
    const text = documentOf(things.map((each) => ({ type: "none", ...each })))
    expect(text.length).toBeLessThan(12 * (code.length + note.length) + things.length * 2 * tabs)
    expect(text.split("\n").slice(1, 4)).toStrictEqual(Array.from({ length: 3 }, () => `${" ".repeat(20)}a`))
    expect(text.endsWith(`\n${" ".repeat(2_000)}c`)).toBe(true)
  })

  it("has every line of a long note, with yields in between", () => {
    const note = Array.from({ length: 100_000 }, (_, at) => (at % 3 === 0 ? "" : `line ${at} `)).join("\n")
    const steps = listDocument(list, [Fixtures.thing(owner, list.id, { text: "a", type: "none", note })])
    let [taken, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) taken++
    expect(taken).toBeGreaterThan(20)
    expect(step.value.text.pieces.length).toBeGreaterThan(10)
    for (const piece of step.value.text.pieces.slice(0, -1)) expect(piece).toMatch(/\n$/)
    expect(step.value.text.toString()).toBe(
      `a\n${note
        .split("\n")
        .map((line) => `    ${line}`.trimEnd())
        .join("\n")}`
    )
  })

  it("joins the lines of a text into one", () => {
    const texts = fc.array(fc.constantFrom("a", " ", "\n", "\r\n", "\t", "b", "\u2028"), { maxLength: 40 })
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        const lines = text.split("\n").map((each) => each.trim())
        expect(documentOf([{ text, type: "none" }])).toBe(lines.filter((each) => each !== "").join(" "))
      }),
      { seed: 11, numRuns: 500 }
    )
  })
})
