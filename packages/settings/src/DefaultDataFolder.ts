import { accessSync, constants } from "node:fs"
import { homedir, userInfo } from "node:os"
import { join } from "node:path"

const name = "lists-and-things"

type Folder = () => string

/** What HOME says, then what the system's table of users says. Either throws where it says nothing. */
const homes: ReadonlyArray<Folder> = [homedir, () => userInfo().homedir]

const known = (folder: Folder): ReadonlyArray<string> => {
  try {
    return [folder()]
  } catch {
    return []
  }
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The user's home folder: the first of these that can be written to, else the last one that is known. Older versions of
 * npm run scripts as the owner of the checkout but with root's HOME, which that user cannot write to. A user without an
 * entry in the table and without HOME, as in a container, has none: then it is the root folder.
 */
export const homeAmong = (folders: ReadonlyArray<Folder>): string => {
  const found = folders.flatMap(known)
  return found.find(isWritable) ?? found.at(-1) ?? "/"
}

const home = (): string => homeAmong(homes)

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
