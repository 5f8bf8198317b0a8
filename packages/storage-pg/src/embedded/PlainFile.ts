import { constants } from "node:fs"
import { open } from "node:fs/promises"

/**
 * Reads the text of a regular file. Does not follow symbolic links or wait for pipes: root reads files of the server's
 * user, who must not redirect it.
 */
export const readPlainFile = async (path: string): Promise<string> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${path} is not a plain file`)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}
