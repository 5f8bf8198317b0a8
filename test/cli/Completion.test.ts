import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { until } from "@lists-and-things/domain/testing/Until"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { keepServer, type Lat, openLat, root } from "./Lat.ts"

let lat: Lat
let release: () => Promise<void>

const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

/** A `lat` on the PATH that completes as the real one does, and for anything else says what it was asked. */
const stub = (bin: string) => `#!/bin/sh
case "$1" in
  complete-words)
    '${process.execPath}' '${join(root, "bin", "lat.ts")}' "$@"
    echo answered >> '${join(bin, "answered")}' ;;
  *) printf 'RAN<%s>\\n' "$*" >> '${join(bin, "ran")}' ;;
esac
`

beforeAll(async () => {
  lat = await openLat()
  release = await keepServer(lat)
  await mkdir(join(lat.folder, "bin"))
  await writeFile(join(lat.folder, "bin", "lat"), stub(join(lat.folder, "bin")))
  await chmod(join(lat.folder, "bin", "lat"), 0o755)
  await lat.json(["account", "create", "--email", "ann@example.com"])
  await writeFile(join(lat.folder, "groceries.md"), "# G")
  for (const shell of ["bash", "zsh", "fish"]) {
    await writeFile(join(lat.folder, `completion.${shell}`), (await lat.run(["completion", shell])).out)
  }
})

afterAll(async () => {
  await release()
  await lat.close()
})

const environment = () => ({ ...lat.env, PATH: `${join(lat.folder, "bin")}:${lat.env["PATH"]}`, TERM: "dumb" })

const linesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(join(lat.folder, "bin", name), "utf8").catch(() => "")
  return text.split("\n").filter((line) => line !== "")
}

/** Waits until a file of the stub has so many lines. */
const settle = (name: string, count: number): Promise<void> =>
  until(`line ${count} of ${name}`, async () => (await linesOf(name)).length >= count)

/** Types lines into an interactive shell on a terminal of its own, waiting for each completion; what was run. */
const type = async (shell: string, setup: string, lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  for (const name of ["ran", "answered"]) await rm(join(lat.folder, "bin", name), { force: true })
  const child = spawn("script", ["-qec", shell, "/dev/null"], { cwd: lat.folder, env: environment(), stdio: "pipe" })
  const ended = once(child, "close")
  child.stdout.resume()
  let [tabs, run] = [0, 0]
  child.stdin.write(`${setup}; lat ready\n`)
  await settle("ran", ++run)
  for (const line of lines) {
    for (const part of line.split(/(?<=\t)/)) {
      child.stdin.write(part)
      if (!part.endsWith("\t")) continue
      await settle("answered", ++tabs)
    }
    child.stdin.write("\n")
    await settle("ran", ++run)
  }
  child.stdin.end("exit\n")
  await ended
  return (await linesOf("ran")).slice(1).map((line) => line.replace(" >", ">"))
}

const typed = ["lat account sh\tan\t", "lat import gro\t", "lat account set x --default-list-sort mod\t"]
const expected = [
  "RAN<account show ann@example.com>",
  "RAN<import groceries.md>",
  "RAN<account set x --default-list-sort modified>"
]

describe("completion in a real shell", () => {
  it.runIf(has("bash") && has("script"))("bash", async () => {
    assert.deepStrictEqual(await type("bash --norc -i", "source completion.bash", typed), expected)
  })

  it.runIf(has("zsh") && has("script"))("zsh", async () => {
    const setup = "autoload -Uz compinit && compinit -D -u && source completion.zsh"
    assert.deepStrictEqual(await type("zsh -f -i", setup, typed), expected)
  })

  it.runIf(has("fish"))("fish", () => {
    const offers = (line: string): ReadonlyArray<string> => {
      const script = `source completion.fish; complete -C '${line}'`
      const { stdout } = spawnSync("fish", ["--no-config", "-c", script], {
        cwd: lat.folder,
        env: { ...environment(), HOME: lat.folder }
      })
      return stdout.toString("utf8").trim().split("\n")
    }
    assert.deepStrictEqual(offers("lat account sh"), ["show"])
    assert.deepStrictEqual(offers("lat account show an"), ["ann@example.com"])
    assert.deepStrictEqual(offers("lat import gro"), ["groceries.md"])
    assert.deepStrictEqual(offers("lat account set x --default-list-sort mod"), ["modified"])
  })
})
