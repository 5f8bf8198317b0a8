import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileName, uniqueNames } from "../src/commands/documents/FileNames.ts"
import { expandFiles } from "../src/commands/documents/FilePatterns.ts"

describe("the file name for a title", () => {
  it.each([
    ["Groceries", "Groceries"],
    ["a/b: c?", "a-b- c"],
    ["../../etc/passwd", "etc-passwd"],
    ["  spaced   out ", "spaced out"],
    ["CON", "list CON"],
    ["nul.notes", "list nul.notes"],
    ["connect", "connect"],
    ["...", "list"],
    ["🛒 Einkauf", "🛒 Einkauf"],
    ["x".repeat(200), "x".repeat(80)],
    ["買".repeat(80), "買".repeat(66)],
    [`a${"😀".repeat(300)}`, `a${"😀".repeat(49)}`]
  ])("for %j is %j", (title, expected) => {
    expect(fileName(title)).toBe(expected)
  })

  it("is never a path, hidden or empty", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        const name = fileName(title)
        expect(name).not.toMatch(/[/\\\u0000\n]|^\.|^$/)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(205)
      })
    )
  })

  it("is unique, ignoring case", () => {
    const next = uniqueNames()
    expect([next("a", ".md"), next("A", ".md"), next("a", ".md")]).toStrictEqual(["a.md", "A 2.md", "a 3.md"])
    expect([next("a 4", ".md"), next("a", ".md"), next("a 4", ".md")]).toStrictEqual(["a 4.md", "a 5.md", "a 4 2.md"])
    for (let number = 6; number < 50_000; number++) next("a", ".md")
    expect(next("A", ".md")).toBe("A 50000.md")
  })
})

describe("files and patterns", () => {
  it("are expanded in order, each file once, and a pattern without a match is refused", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lat-files-"))
    try {
      await mkdir(join(folder, "sub"))
      for (const name of ["b.md", "a.md", "c.txt", "sub/d.md", "[x].md"]) await writeFile(join(folder, name), "")
      const at = (name: string) => join(folder, name)
      expect(await expandFiles([at("[ab].md"), at("a.md")])).toStrictEqual([at("a.md"), at("b.md")])
      expect(await expandFiles([at("sub/**/*.md"), "-"])).toStrictEqual([at("sub/d.md"), "-"])
      expect(await expandFiles([at("[x].md"), at("missing.md")])).toStrictEqual([at("[x].md"), at("missing.md")])
      await expandFiles([at("*.nothing")]).then(
        () => expect.fail("a pattern without files was accepted"),
        (error: Error) => expect(error.message).toContain("No file fits")
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
