import type { Missing } from "@lists-and-things/domain/servers/FirstStart"
import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"

/** The text that a server prints when it listens; `siteUrl` has no trailing slash. */
export const startText = (siteUrl: string): string => `Lists and Things answers at ${siteUrl}
  REST API   ${siteUrl}/api/v1
  Interface  ${siteUrl}/docs
  Tools      ${siteUrl}/mcp
`

/** The line of the text for what is missing, and what to do about it. */
export const missingLine = (siteUrl: string, missing: Missing): string => {
  switch (missing._tag) {
    case "WayIn":
      return `  Account    ${missing.email} has no password, and no key of it was used yet: ${lat("setup")}\n`
    case "Account":
      return missing.canBeCreated
        ? `  Account    none yet: ${createFirstAccount()}\n`
        : "  Account    none, and none can be made: with LAT_STORAGE=memory only a server at HOST=127.0.0.1 without DATABASE_URL has one\n"
    case "PublicUrl":
      return `  Address    links name ${siteUrl}, which other devices do not reach: set PUBLIC_URL to the address that people use\n`
  }
}
