import { createHash } from "node:crypto"
import { mark } from "./Icons.ts"
import { script, zoneScript } from "./Script.ts"
import { frameStyle, style } from "./Style.ts"

/** The first characters of a content's hash; an address with it may be cached for ever. */
export const versionOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("base64url").slice(0, 10)

const versioned = (path: string, content: string): string => `${path}?v=${versionOf(content)}`

export const stylePath = versioned("/style.css", style)
export const framePath = versioned("/frame.css", frameStyle)
export const scriptPath = versioned("/app.js", script)
export const zoneScriptPath = versioned("/zone.js", zoneScript)
export const iconPath = versioned("/icon.svg", mark.text)
export const touchIconPath = "/icon-192.png"
export const manifestPath = "/manifest.webmanifest"
