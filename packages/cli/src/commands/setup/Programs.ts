import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, join, sep } from "node:path"

/** Where the programs of this installation are. */
export interface Programs {
  /** The folder of the package or the checkout. */
  readonly root: string
  /** Path of the Node that runs this process. */
  readonly node: string
  readonly isCheckout: boolean
}

const latPath = ({ root }: Programs): string => join(root, "bin", "lat.mjs")
export const latMcpPath = ({ root }: Programs): string => join(root, "bin", "lat-mcp.mjs")

/** The name that the tool server has in the settings of assistants. */
export const serverName = "lists-and-things"

/** The assistants whose settings `lat setup` writes. */
export const assistantNames = ["claude-desktop", "claude-code", "cursor", "gemini-cli", "vscode"] as const
export type AssistantName = (typeof assistantNames)[number]

/** A text as a single shell word, in quotes if necessary. */
export const shellQuoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** What decides how a shell finds `lat`. */
export interface ShellContext {
  readonly programs: Programs
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /** The id of the current user; undefined on systems without user ids. */
  readonly user: number | undefined
}

/**
 * How to run `lat` in a folder: `lat` if the shell finds this installation by that name, `npx lat` in the checkout if
 * npx can run it, otherwise by its path, which works anywhere.
 */
export const latCommand = (where: ShellContext): string => {
  const { folder, programs } = where
  if (foundAs("lat", where) === "this") return "lat"
  if (programs.isCheckout && packageOf(folder) === programs.root && isForNpx(where)) return "npx lat"
  return `node ${shellQuoted(latPath(programs))}`
}

/**
 * npx sets the mode of a program before it runs it, which only the owner and root may do, and only on a writable disk.
 */
const isForNpx = ({ programs, user }: ShellContext): boolean => {
  try {
    accessSync(latPath(programs), constants.W_OK)
    return user === undefined || user === 0 || user === statSync(latPath(programs)).uid
  } catch {
    return false
  }
}

/** What the shell finds by this name; `this` is a link to this `lat` or a launcher of it. */
export const foundAs = (
  name: string,
  { environment, programs }: Pick<ShellContext, "environment" | "programs">
): "this" | "another" | "nothing" => {
  const path = foldersOf(environment)
    .map((folder) => join(folder, name))
    .find(existsSync)
  if (path === undefined) return "nothing"
  try {
    const real = realpathSync(path)
    return real === realpathSync(latPath(programs)) || launches(readFileSync(real, "utf8"), programs)
      ? "this"
      : "another"
  } catch {
    return "another"
  }
}

/** The folders of the shell's search path, without those that npm puts there while it runs a program. */
const foldersOf = (environment: ShellContext["environment"]): ReadonlyArray<string> =>
  (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !`${folder}${sep}`.includes(`${sep}node_modules${sep}.bin${sep}`))

/** The nearest folder with a package, where npx looks for programs. */
const packageOf = (folder: string): string | undefined => {
  if (existsSync(join(folder, "package.json"))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : packageOf(above)
}

/** The second line of every launcher. */
export const launcherMark = "# Starts lat of Lists and Things. Made by 'lat setup --launcher'; remove it at will."

/** A shell script; falls back to `node` from PATH if the current Node was removed. */
export const launcherText = (programs: Programs): string => `#!/bin/sh
${launcherMark}
node=${shellQuoted(programs.node)}
[ -x "$node" ] || node=node
exec "$node" ${shellQuoted(latPath(programs))} "$@"
`

const launches = (text: string, programs: Programs): boolean =>
  text.includes(`\n${launcherMark}\n`) && text.includes(`exec "$node" ${shellQuoted(latPath(programs))} "$@"`)
