import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { LongText, piecesOfText } from "@lists-and-things/domain/text/LongText"
import { textPage } from "@lists-and-things/mcp/results/TextPages"
import { describe, expect, it } from "@effect/vitest"

const pageOf = (text: string, page: number, max: number) =>
  runStepsSync(textPage(new LongText(piecesOfText(text)), page, max))

/** All pages, up to the last one. */
const pagesOf = (text: string, max: number): ReadonlyArray<string> => {
  const pages: Array<string> = []
  for (;;) {
    const page = pageOf(text, pages.length, max)
    pages.push(page.text)
    if (!page.hasMore) return pages
  }
}

const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

describe("pages of a text", () => {
  it("are as many whole lines as fit, and together they are the text", () => {
    expect(pagesOf("one\ntwo\nthree", 10)).toEqual(["one\ntwo\n", "three"])
    expect(pagesOf("one\ntwo\nthree", 9)).toEqual(["one\n", "two\n", "three"])
    expect(pagesOf("one\ntwo\n", 10)).toEqual(["one\ntwo\n"])
    expect(pagesOf("\n\nend", 4)).toEqual(["\n\n", "end"])
  })

  it("are measured as JSON writes them", () => {
    expect(pagesOf('""\n""\n', 11)).toEqual(['""\n', '""\n'])
    expect(pagesOf('""\n""\n', 12)).toEqual(['""\n""\n'])
    expect(pagesOf("éé\néé\n", 11)).toEqual(["éé\n", "éé\n"])
  })

  it("put a line that is longer than a page on a page of its own", () => {
    expect(pagesOf("a\nlonger line\nb", 8)).toEqual(["a\n", "longer line\n", "b"])
    expect(pagesOf("longer line\nb", 8)).toEqual(["longer line\n", "b"])
  })

  it("divide a line of more than 10,000 characters, but no character", () => {
    const short = "a".repeat(9_999)
    expect(pagesOf(`${short}\n${short}`, 10_001)).toEqual([`${short}\n`, short])
    const long = `${short}${"🙂".repeat(10_000)}`
    const pages = pagesOf(long, 30_000)
    expect(pages.join("")).toBe(long)
    expect(pages[0]).toBe(`${short}${"🙂".repeat(5_000)}`)
    expect(pages.every((page) => page.isWellFormed() && bytesOf(page) <= 30_000)).toBe(true)
  })

  it("end at the end of a line, wherever the pieces of the text end", () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`)
    const pages = pagesOf(lines.join(""), 100_000)
    expect(pages.join("")).toBe(lines.join(""))
    for (const page of pages) expect(page).toMatch(/^line [^]*\d\n$/)
  })

  it("beyond the end, and of nothing, are empty", () => {
    expect(pageOf("one\ntwo", 1, 100)).toEqual({ text: "", hasMore: false })
    expect(pageOf("", 0, 100)).toEqual({ text: "", hasMore: false })
  })
})
