import { existsSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { slowFiles } from "./SlowFilesFirst.ts"

it("the files that start first are there", () => {
  expect(slowFiles.filter((path) => !existsSync(path))).toEqual([])
})
