import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, beforeAll } from "@effect/vitest"
import { type Lat, openServedLat, root } from "./Lat.ts"

/** The `lat` of the test file that imports this module. */
export let lat: Lat

/** A `lat` on the PATH that completes like the real one, and for anything else records its arguments. */
const stub = (bin: string) => `#!/bin/sh
case "$1" in
  complete-words)
    '${process.execPath}' '${join(root, "bin", "lat.mjs")}' "$@"
    echo answered >> '${join(bin, "answered")}' ;;
  *) printf 'RAN<%s>\\n' "$*" >> '${join(bin, "ran")}' ;;
esac
`

beforeAll(async () => {
  lat = await openServedLat()
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
  await lat.close()
})

/** An environment in which `lat` is the stub. */
export const environment = () => ({ ...lat.env, PATH: `${join(lat.folder, "bin")}:${lat.env["PATH"]}`, TERM: "dumb" })

const linesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(join(lat.folder, "bin", name), "utf8").catch(() => "")
  return text.split("\n").filter((line) => line !== "")
}

/** Waits until a file of the stub has `count` lines. */
const settle = (name: string, count: number): Promise<void> =>
  until(`line ${count} of ${name}`, async () => (await linesOf(name)).length >= count)

/**
 * Types lines into an interactive shell on a terminal of its own, waiting for each completion; returns what was run.
 */
export const type = async (
  shell: string,
  setup: string,
  lines: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
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

/** Lines with unfinished words, each followed by a tab. */
export const typed = ["lat account sh\tan\t", "lat import gro\t", "lat account set x --default-list-sort mod\t"]
/** The commands that are run for these lines. */
export const expected = [
  "RAN<account show ann@example.com>",
  "RAN<import groceries.md>",
  "RAN<account set x --default-list-sort modified>"
]
