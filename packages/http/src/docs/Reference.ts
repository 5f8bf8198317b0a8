import { basePath } from "../api/Api.ts"
import { versionOf } from "../pages/AssetPaths.ts"

/** Puts the reference in the place of the plain page; it asks nothing of any other site. */
export const startScript = `"use strict"
Scalar.createApiReference("#reference", {
  url: "${basePath}/openapi.json",
  layout: "modern",
  theme: "none",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideDarkModeToggle: true,
  darkMode: matchMedia("(prefers-color-scheme: dark)").matches,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  authentication: { preferredSecurityScheme: "bearer" },
  })
// Its own stylesheet stands for itself; of ours the frame remains.
document.getElementById("plain").remove()
document.getElementById("style").disabled = true
`

export const startPath = `/docs/start.js?v=${versionOf(startScript)}`
export const bundlePath = "/docs/scalar.js"
