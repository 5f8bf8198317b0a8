import { spawnSync } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { environment, expected, lat, type, typed } from "./Shells.ts"

it("words are completed in zsh", async () => {
  const setup = "autoload -Uz compinit && compinit -D -u && source completion.zsh"
  expect(await type("zsh -f -i", setup, typed)).toStrictEqual(expected)
})

it("words are completed in fish", () => {
  const offers = (line: string): ReadonlyArray<string> => {
    const script = `source completion.fish; complete -C '${line}'`
    const env = { ...environment(), HOME: lat.folder }
    const { error, stdout } = spawnSync("fish", ["--no-config", "-c", script], { cwd: lat.folder, env })
    if (error !== undefined) throw error
    return stdout.toString("utf8").trim().split("\n")
  }
  expect(offers("lat account sh")).toStrictEqual(["show"])
  expect(offers("lat account show an")).toStrictEqual(["ann@example.com"])
  expect(offers("lat import gro")).toStrictEqual(["groceries.md"])
  expect(offers("lat account set x --default-list-sort mod")).toStrictEqual(["modified"])
})
