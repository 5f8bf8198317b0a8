import { homedir } from "node:os"
import { chmod, lstat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Failure } from "../../Failure.ts"
import type { Input } from "../../Input.ts"
import type { Installation } from "../../Installation.ts"
import type { Answer } from "../../Output.ts"
import { foundAs, launcherMark, launcherText, shellQuoted } from "./Programs.ts"
import { replaceFile, textOf } from "./SettingsFile.ts"

/** Writes a launcher of `lat` to `~/.local/bin`; replaces an earlier launcher, but nothing else. */
export const writeLauncher = async (input: Input, { environment, programs }: Installation): Promise<Answer> => {
  if (process.platform === "win32")
    throw new Failure("The launcher is a script for Unix shells.", `On Windows: npm install -g ${programs.root}`)
  const path = join(environment["HOME"] || homedir(), ".local", "bin", "lat")
  const text = launcherText(programs)
  const present = await presentAt(path)
  if (present !== undefined && !present.includes(`\n${launcherMark}\n`))
    throw new Failure(`${path} is there and is not a launcher of ours: it stays as it is.`, "Move it away first.")
  if (input.switch("dry-run"))
    return { json: { file: path, text, dry_run: true }, text: `Would write ${path}:\n\n${text}`, quiet: path }
  if (present !== text) {
    await replaceFile(path, text, { keepsFormer: false })
    await chmod(path, 0o755)
  }
  const found = foundAs("lat", { environment, programs })
  return {
    json: { file: path, on_path: found === "this" },
    text: `${present === text ? "It is there already" : "Made"}: ${path}`,
    quiet: path,
    remark: found === "this" ? "'lat' works in every folder now." : advice(found, path)
  }
}

const presentAt = async (path: string): Promise<string | undefined> => {
  const found = await lstat(path).catch(() => undefined)
  // A symbolic link, for instance one of npm, is not ours to replace.
  return found === undefined ? undefined : found.isFile() ? textOf(path) : ""
}

const advice = (found: "another" | "nothing", path: string): string => {
  const folder = dirname(path)
  const line = `export PATH=${shellQuoted(folder)}:"$PATH"`
  return found === "nothing"
    ? `${folder} is not on PATH: add this line to the profile of your shell, and open a new one:\n  ${line}`
    : `Another program named lat comes first on PATH. Where this one is to come first:\n  ${line}`
}
