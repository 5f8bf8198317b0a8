import { accessSync, constants } from "node:fs"
import { homedir, userInfo } from "node:os"
import { join } from "node:path"

const name = "lists-and-things"

/**
 * The user's home folder. Older versions of npm run scripts as the owner of the checkout but with root's HOME, which
 * that user cannot write to.
 */
const home = (): string => {
  try {
    accessSync(homedir(), constants.W_OK)
    return homedir()
  } catch {
    return userInfo().homedir
  }
}

const userDataFolder = (): string => {
  switch (process.platform) {
    case "darwin":
      return join(home(), "Library", "Application Support")
    case "win32":
      return process.env["LOCALAPPDATA"] || join(home(), "AppData", "Local")
    default:
      return process.env["XDG_DATA_HOME"] || join(home(), ".local", "share")
  }
}

/** The data folder of the embedded PostgreSQL when `LAT_DATA_DIR` is not set. */
export const defaultDataFolder = (): string =>
  process.geteuid?.() === 0 ? join("/var/lib", name) : join(userDataFolder(), name)
