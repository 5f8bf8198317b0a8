import { styleText } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { styles } from "../src/ControlCharacters.ts"
import { write } from "../src/Output.ts"
import { facts, layOut, type Table } from "../src/Table.ts"
import type { Terminal } from "../src/Terminal.ts"

/** A terminal that keeps what is written to it. */
const recording = () => {
  const written = { out: "", err: "" }
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    line: () => {},
    outWhenReady: (text) => Promise.resolve(void (written.out += text)),
    inputPieces: async function* () {},
    outIsTerminal: false,
    errIsTerminal: false,
    canAsk: false,
    columns: 80,
    paint: (_style, text) => text,
    paintErr: (_style, text) => text,
    readInput: () => Promise.resolve(new Uint8Array()),
    ask: () => Promise.resolve(""),
    askHidden: () => Promise.resolve("")
  }
  return { terminal, written }
}

/** As `recording`, with a terminal that paints styles. */
const painting = () => {
  const { terminal, written } = recording()
  const paint: Terminal["paint"] = (style, text) => styleText(style, text, { validateStream: false })
  return { terminal: { ...terminal, paint, paintErr: paint }, written }
}

const answer = { json: { a: [1] }, text: "for people", quiet: "bare", remark: "by the way" }

describe("an answer", () => {
  it("is one JSON value and nothing else with --json, even together with --quiet", async () => {
    const { terminal, written } = recording()
    await write(answer, { json: true, quiet: true }, terminal)
    expect(JSON.parse(written.out)).toStrictEqual(answer.json)
    expect(written.err).toBe("")
  })

  it("that is cut off says how to get the rest on stderr, in every mode", async () => {
    for (const mode of [
      { json: true, quiet: false },
      { json: false, quiet: true }
    ]) {
      const { terminal, written } = recording()
      await write({ ...answer, more: "There are more." }, mode, terminal)
      expect(written.err).toBe("There are more.\n")
      expect(written.out).not.toContain("There")
    }
    const { terminal, written } = recording()
    await write({ ...answer, more: "There are more." }, { json: false, quiet: false }, terminal)
    expect(written.err).toBe("by the way\nThere are more.\n")
  })

  it("contains no control characters in text for people except line ends, tabs and lat's own styles", async () => {
    const { terminal, written } = painting()
    const text = "\u001b[2mm1\u001b[22m\tone\n\u001b]0;title\u0007\u001b[8mhidden\u001b[0m\u009b2J\r"
    await write({ ...answer, text, remark: "\u001b[31A" }, { json: false, quiet: false }, terminal)
    expect(written.out).toBe("\u001b[2mm1\u001b[22m\tone\n\ufffd]0;title\ufffd\ufffd[8mhidden\ufffd[0m\ufffd2J\ufffd\n")
    expect(written.err).toBe("\ufffd[31A\n")
  })

  it("contains no styles if the terminal paints none, even if the text contains escape sequences", async () => {
    const { terminal, written } = recording()
    const text = "\u001b[31mred\u001b[39m\n\u001b[1mbold"
    await write({ ...answer, text, remark: "\u001b[31mred" }, { json: false, quiet: false }, terminal)
    expect(written).toStrictEqual({ out: "\ufffd[31mred\ufffd[39m\n\ufffd[1mbold\n", err: "\ufffd[31mred\n" })
  })

  it("keeps every style that lat uses", async () => {
    const { terminal, written } = painting()
    const text = styles.map((style) => styleText(style, style, { validateStream: false })).join("\n")
    await write({ json: null, text }, { json: false, quiet: false }, terminal)
    expect(written.out).toBe(`${text}\n`)
  })

  it("is the bare value with --quiet, or nothing", async () => {
    const { terminal, written } = recording()
    await write(answer, { json: false, quiet: true }, terminal)
    await write({ json: 1, text: "x" }, { json: false, quiet: true }, terminal)
    expect(written).toStrictEqual({ out: "bare\n", err: "" })
  })

  it("is text on standard output otherwise, with remarks on standard error", async () => {
    const { terminal, written } = recording()
    await write(answer, { json: false, quiet: false }, terminal)
    expect(written).toStrictEqual({ out: "for people\n", err: "by the way\n" })
  })
})

describe("text in columns", () => {
  const { terminal } = recording()
  const linesOf = async (shownOn: Terminal, heads: Table["heads"], rows: Table["rows"]) =>
    (await layOut(shownOn, { heads, rows })).split("\n")

  it("is aligned by the displayed width of characters", async () => {
    const rows = [
      ["1", "short"],
      ["22", "日本"],
      ["333", "🛒 x"],
      ["4", "👩‍👩‍👧 y"],
      ["5", "cafe\u0301"]
    ].map(([id, title]) => [id!, title!, "|"])
    expect(await linesOf(terminal, ["ID", "TITLE", ""], rows)).toStrictEqual([
      "ID   TITLE",
      "1    short  |",
      "22   日本   |",
      "333  🛒 x   |",
      "4    👩‍👩‍👧 y   |",
      "5    cafe\u0301   |"
    ])
  })

  const narrow = (columns: number) => ({ ...terminal, outIsTerminal: true, columns })

  it("wraps the widest cells on a narrow terminal, between words and within long words", async () => {
    const rows = [
      ["0afc", "todo", "Buy milk and bread", "Groceries"],
      ["52f9", "todo", "https://example.com/a", "日本の 買い物リスト"]
    ]
    expect(await linesOf(narrow(42), ["ID", "KIND", "TEXT", "IN"], rows)).toStrictEqual([
      "ID    KIND  TEXT            IN",
      "0afc  todo  Buy milk and    Groceries",
      "            bread",
      "52f9  todo  https://exampl  日本の",
      "            e.com/a         買い物リスト"
    ])
    expect(await linesOf({ ...narrow(42), outIsTerminal: false }, ["ID", "KIND", "TEXT", "IN"], rows)).toHaveLength(3)
  })

  it("never wraps the first column, nor narrows others below 12 cells", async () => {
    const id = "01a20280-199a-7979-bfe7-0afc843852f9"
    expect(await linesOf(narrow(20), ["ID", "TITLE"], [[id, "Trip to Lisbon"]])).toStrictEqual([
      "ID                                    TITLE",
      `${id}  Trip to`,
      `${" ".repeat(36)}  Lisbon`
    ])
  })

  it("is the given sentence if there are no rows", async () => {
    const none = "No key yet."
    expect(await layOut(terminal, { heads: ["ID"], rows: [], none })).toBe(none)
    expect(await layOut(terminal, { heads: ["ID"], rows: [["1"]], none })).toBe("ID\n1")
  })

  it("aligns the values of facts", () => {
    expect(
      facts(terminal, [
        ["a", "1"],
        ["long", "2"]
      ])
    ).toBe("a     1\nlong  2")
  })
})
