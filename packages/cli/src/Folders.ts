import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf } from "./Failure.ts"

/**
 * Creates a folder and its missing parents. `mkdir` with `recursive` never returns if a parent exists but creating an
 * entry in it fails with ENOENT, as in /proc.
 */
export const makeFolders = async (path: string): Promise<void> => {
  if ((await stat(path).catch(() => undefined)) !== undefined) return
  await makeFolders(dirname(path))
  await mkdir(path).catch((error) => {
    if (codeOf(error) !== "EEXIST") throw error
  })
}
