import { spawnSync } from "node:child_process"
import { assert, it } from "vitest"
import { environment, expected, lat, type, typed } from "./Shells.ts"

it("words are completed in zsh", async () => {
  const setup = "autoload -Uz compinit && compinit -D -u && source completion.zsh"
  assert.deepStrictEqual(await type("zsh -f -i", setup, typed), expected)
})

it("words are completed in fish", () => {
  const offers = (line: string): ReadonlyArray<string> => {
    const script = `source completion.fish; complete -C '${line}'`
    const env = { ...environment(), HOME: lat.folder }
    const { error, stdout } = spawnSync("fish", ["--no-config", "-c", script], { cwd: lat.folder, env })
    if (error !== undefined) throw error
    return stdout.toString("utf8").trim().split("\n")
  }
  assert.deepStrictEqual(offers("lat account sh"), ["show"])
  assert.deepStrictEqual(offers("lat account show an"), ["ann@example.com"])
  assert.deepStrictEqual(offers("lat import gro"), ["groceries.md"])
  assert.deepStrictEqual(offers("lat account set x --default-list-sort mod"), ["modified"])
})
