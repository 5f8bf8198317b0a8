import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { coverage } from "./Coverage.ts"

const file = join(import.meta.dirname, "../../docs/coverage.md")

it("docs/coverage.md says what the tests cover", async () => {
  if (process.env["LAT_WRITE_COVERAGE"] === "1") await writeFile(file, coverage())
  expect(await readFile(file, "utf8")).toBe(coverage())
})
