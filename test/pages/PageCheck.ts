import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expectGood } from "../signin/Chromium.ts"

/** The folder for screenshots of the pages, if they are wanted. */
const pictures = process.env["LAT_PICTURES"]

const viewports = [
  { name: "desktop", width: 1024, height: 900, colorScheme: "light" },
  { name: "phone", width: 390, height: 800, colorScheme: "light" },
  { name: "dark", width: 390, height: 800, colorScheme: "dark" }
] as const

/** Expects no accessibility problem, at any width; takes a screenshot if one is wanted. */
export const checkPage = async (page: Page, name: string): Promise<void> => {
  await expectGood(page)
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.emulateMedia({ reducedMotion: "reduce" })
  for (const { colorScheme, height, name: as, width } of viewports) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: join(pictures, `${name}-${as}.png`), fullPage: true })
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1024, height: 768 })
}
