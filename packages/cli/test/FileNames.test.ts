import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileName, uniqueNames } from "../src/commands/documents/FileNames.ts"
import { expandFiles } from "../src/commands/documents/FilePatterns.ts"

describe("the file of a title", () => {
  it.each([
    ["Groceries", "Groceries"],
    ["a/b: c?", "a-b- c"],
    ["../../etc/passwd", "etc-passwd"],
    ["  spaced   out ", "spaced out"],
    ["CON", "list CON"],
    ["...", "list"],
    ["🛒 Einkauf", "🛒 Einkauf"],
    ["x".repeat(200), "x".repeat(80)]
  ])("%j is %j", (title, expected) => {
    assert.strictEqual(fileName(title), expected)
  })

  it("is never a path, hidden or empty", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        const name = fileName(title)
        assert.notMatch(name, /[/\\\u0000\n]|^\.|^$/)
      })
    )
  })

  it("is there once, ignoring case", () => {
    const next = uniqueNames()
    assert.deepStrictEqual([next("a", ".md"), next("A", ".md"), next("a", ".md")], ["a.md", "A 2.md", "a 3.md"])
  })
})

describe("files and patterns", () => {
  it("are taken in order, each once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lat-files-"))
    try {
      await mkdir(join(folder, "sub"))
      for (const name of ["b.md", "a.md", "c.txt", "sub/d.md", "[x].md"]) await writeFile(join(folder, name), "")
      const at = (name: string) => join(folder, name)
      assert.deepStrictEqual(await expandFiles([at("[ab].md"), at("a.md")]), [at("a.md"), at("b.md")])
      assert.deepStrictEqual(await expandFiles([at("sub/**/*.md"), "-"]), [at("sub/d.md"), "-"])
      assert.deepStrictEqual(await expandFiles([at("[x].md"), at("missing.md")]), [at("[x].md"), at("missing.md")])
      await expandFiles([at("*.nothing")]).then(
        () => assert.fail("a pattern without files was accepted"),
        (error: Error) => assert.include(error.message, "No file fits")
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
