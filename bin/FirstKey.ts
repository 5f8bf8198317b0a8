import { firstStartText, type FirstStart } from "@lists-and-things/http/FirstStart"
import { Effect } from "effect"
import { constants } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { dataDir, storage } from "@lists-and-things/settings/Settings"

/** Creates the file anew: an existing file of that name is not written to, and a link not followed. */
const writeKey = async (path: string, token: string): Promise<void> => {
  await rm(path, { force: true })
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await handle.writeFile(`${token}\n`)
  } finally {
    await handle.close()
  }
}

/**
 * Announces the first key at a first start. On a terminal it shows the key; otherwise the path of a file that only its
 * owner can read, since journals and container logs keep standard output. The memory adapter has no folder for a file,
 * and its key is worthless once the process has ended.
 */
export const tellFirstKey = Effect.fnUntraced(function* (siteUrl: string, first: FirstStart) {
  if (process.stdout.isTTY || (yield* storage.config) === "memory") return firstStartText(siteUrl, first)
  const path = join(yield* dataDir.config, "first-key")
  const written = yield* Effect.result(Effect.tryPromise(() => writeKey(path, first.token)))
  if (written._tag === "Success") return firstStartText(siteUrl, first, path)
  yield* Effect.logError(
    `The first key cannot be written to ${path}: make another one with 'lat key create --account ${first.email}'`
  )
  return ""
})
