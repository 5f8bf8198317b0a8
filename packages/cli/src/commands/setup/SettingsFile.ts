import { copyFile, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { constants } from "node:fs"
import { dirname } from "node:path"
import { codeOf, Failure } from "../../Failure.ts"
import { makeFolders } from "../../Folders.ts"

/** The text of a file; undefined where there is none. */
export const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : (error as Error).message
    throw new Failure(`${path} cannot be read: ${reason}. Nothing was changed.`)
  }
}

/**
 * Replaces a file atomically. With `keepsFormer`, copies the earlier file first and returns the path of the copy.
 * Follows a symbolic link. Keeps the permissions; only its owner can read a new file.
 */
export const replaceFile = async (
  path: string,
  text: string,
  { keepsFormer }: { readonly keepsFormer: boolean }
): Promise<string | undefined> => {
  try {
    const target = await realpath(path).catch(() => path)
    const found = await stat(target).catch(() => undefined)
    await makeFolders(dirname(target))
    const backup =
      found === undefined || !keepsFormer ? undefined : `${target}.${new Date().toISOString().replaceAll(":", "-")}.bak`
    if (backup !== undefined) await copyFile(target, backup, constants.COPYFILE_EXCL)
    const temporary = `${target}.${process.pid}.part`
    try {
      await writeFile(temporary, text, { flag: "wx", mode: (found?.mode ?? 0o600) & 0o777 })
      await rename(temporary, target)
    } finally {
      await rm(temporary, { force: true })
    }
    return backup
  } catch (error) {
    throw new Failure(`${path} cannot be written: ${(error as Error).message}. Nothing was changed.`)
  }
}
