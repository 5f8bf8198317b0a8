import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf } from "./Failure.ts"

/**
 * Makes a folder and those above it. `mkdir` with `recursive` never ends where nothing can be made in a folder that is
 * there and the system says ENOENT, as in /proc.
 */
export const makeFolders = async (path: string): Promise<void> => {
  if ((await stat(path).catch(() => undefined)) !== undefined) return
  await makeFolders(dirname(path))
  await mkdir(path).catch((error) => {
    if (codeOf(error) !== "EEXIST") throw error
  })
}
