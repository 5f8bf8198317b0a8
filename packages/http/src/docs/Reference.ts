import { basePath } from "../api/Api.ts"
import { versionOf } from "../pages/AssetPaths.ts"

/** Replaces the plain page by the reference, which loads nothing from other sites. */
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
// The reference brings its own stylesheet; of ours only the frame of the page remains.
document.getElementById("plain").remove()
document.getElementById("style").disabled = true
`

export const startPath = `/docs/start.js?v=${versionOf(startScript)}`
export const bundlePath = "/docs/scalar.js"
