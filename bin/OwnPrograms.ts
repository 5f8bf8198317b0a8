import { latCommand, type Programs } from "@lists-and-things/cli/commands/setup/Programs"
import { runLatAs } from "@lists-and-things/domain/text/CommandLine"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The parent of `bin`, or of the folder of the bundles. */
const root = join(fileURLToPath(import.meta.url), "../..")

export const programs: Programs = {
  root,
  node: process.execPath,
  isCheckout: existsSync(join(root, "package-lock.json"))
}

/** The current folder; the root folder if it has been removed. */
const folder = (): string => {
  try {
    return process.cwd()
  } catch {
    return "/"
  }
}

/** Makes messages name `lat` by the command that works in the current folder. */
export const nameCommands = (): void => {
  let name: string | undefined
  const here = () => ({ environment: process.env, folder: folder(), user: process.geteuid?.() })
  runLatAs(() => (name ??= latCommand({ programs, ...here() })))
}
