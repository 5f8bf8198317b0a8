import { homedir } from "node:os"
import { join } from "node:path"

const name = "lists-and-things"

const userDataFolder = (environment: Readonly<Record<string, string | undefined>>): string => {
  switch (process.platform) {
    case "darwin":
      return join(homedir(), "Library", "Application Support")
    case "win32":
      return environment["LOCALAPPDATA"] || join(homedir(), "AppData", "Local")
    default:
      return environment["XDG_DATA_HOME"] || join(homedir(), ".local", "share")
  }
}

/** Where the embedded PostgreSQL keeps its data when `LAT_DATA_DIR` is not set. */
export const defaultDataFolder = (environment: Readonly<Record<string, string | undefined>> = process.env): string =>
  process.geteuid?.() === 0 ? join("/var/lib", name) : join(userDataFolder(environment), name)
