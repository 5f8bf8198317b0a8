import { assert, describe, it } from "@effect/vitest"
import { count, facts, table, write } from "../src/Output.ts"
import { bar } from "../src/Progress.ts"
import type { Terminal } from "../src/Terminal.ts"

/** A terminal that keeps what is written to it. */
const recording = () => {
  const written = { out: "", err: "" }
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    outIsTerminal: false,
    errIsTerminal: false,
    canAsk: false,
    columns: 80,
    paint: (_style, text) => text,
    paintErr: (_style, text) => text,
    readInput: () => Promise.resolve(new Uint8Array()),
    ask: () => Promise.resolve("")
  }
  return { terminal, written }
}

const answer = { json: { a: [1] }, text: "for people", quiet: "bare", remark: "by the way" }

describe("an answer", () => {
  it("is one JSON value and nothing else with --json, whatever else is asked for", () => {
    const { terminal, written } = recording()
    write(answer, { json: true, quiet: true }, terminal)
    assert.deepStrictEqual(JSON.parse(written.out), answer.json)
    assert.strictEqual(written.err, "")
  })

  it("is the bare value with --quiet, or nothing", () => {
    const { terminal, written } = recording()
    write(answer, { json: false, quiet: true }, terminal)
    write({ json: 1, text: "x" }, { json: false, quiet: true }, terminal)
    assert.deepStrictEqual(written, { out: "bare\n", err: "" })
  })

  it("is for people otherwise, with remarks apart", () => {
    const { terminal, written } = recording()
    write(answer, { json: false, quiet: false }, terminal)
    assert.deepStrictEqual(written, { out: "for people\n", err: "by the way\n" })
  })
})

describe("text in columns", () => {
  const { terminal } = recording()

  it("is aligned by what is seen", () => {
    const rows = [
      ["1", "short"],
      ["22", "日本"],
      ["333", "🛒 x"]
    ].map(([id, title]) => [id!, title!, "|"])
    assert.deepStrictEqual(table(terminal, ["ID", "TITLE", ""], rows).split("\n"), [
      "ID   TITLE",
      "1    short  |",
      "22   日本   |",
      "333  🛒 x   |"
    ])
  })

  it("names facts", () => {
    assert.strictEqual(
      facts(terminal, [
        ["a", "1"],
        ["long", "2"]
      ]),
      "a     1\nlong  2"
    )
  })

  it("counts in words", () => {
    assert.strictEqual(count(1, "thing"), "1 thing")
    assert.strictEqual(count(10_000, "thing"), "10,000 things")
  })

  it("never breaks the line of a progress bar", () => {
    assert.strictEqual(bar(1, 2, "a.md", 80), `[${"#".repeat(12)}${" ".repeat(12)}] 1/2 a.md`)
    assert.strictEqual(bar(1, 2, "very-long-name.md", 30).length, 29)
  })
})
