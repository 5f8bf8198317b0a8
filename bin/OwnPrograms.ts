import { latCommand, type Programs } from "@lists-and-things/cli/commands/setup/Programs"
import { runLatAs } from "@lists-and-things/domain/text/CommandLine"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder above `bin`, and above that of the bundles. */
const root = join(fileURLToPath(import.meta.url), "../..")

export const programs: Programs = {
  root,
  node: process.execPath,
  isCheckout: existsSync(join(root, "package-lock.json"))
}

/** Where it was started; the root where that folder has been removed since. */
const folder = (): string => {
  try {
    return process.cwd()
  } catch {
    return "/"
  }
}

/** From here on messages name the command that works where the reader is. */
export const nameCommands = (): void => {
  let name: string | undefined
  const here = () => ({ environment: process.env, folder: folder(), user: process.geteuid?.() })
  runLatAs(() => (name ??= latCommand({ programs, ...here() })))
}
