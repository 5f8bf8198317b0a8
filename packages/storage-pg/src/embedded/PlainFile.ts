import { constants } from "node:fs"
import { open } from "node:fs/promises"

/**
 * The text of a plain file. A link is not followed and a pipe not waited for: files of the server's user are read by
 * root, who must not be sent elsewhere.
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
