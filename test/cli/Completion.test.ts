import { spawnSync } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { expected, type, typed } from "./Shells.ts"

const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

it.runIf(has("bash") && has("script"))("words are completed in bash", async () => {
  expect(await type("bash --norc -i", "source completion.bash", typed)).toStrictEqual(expected)
})
