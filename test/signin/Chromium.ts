import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import axe from "axe-core"
import { type BrowserContext, chromium, type Page } from "playwright-core"
import { expect } from "vitest"

const executablePath = "/usr/bin/chromium"

export const hasChromium = existsSync(executablePath)
if (!hasChromium)
  console.warn("SKIPPED: the browser tests need /usr/bin/chromium; scripts/install-chromium.sh installs it.")

/** For a closed network: nothing but the page itself is asked for. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

interface AxeResult {
  readonly violations: ReadonlyArray<{ readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }>
}

export interface Chromium {
  readonly context: BrowserContext
  readonly page: Page
  /** What the policy of a page refused, and what its console complained of. */
  readonly complaints: Array<string>
  readonly close: () => Promise<void>
}

/** A browser of its own, with a fresh profile that `close` removes. */
export const openChromium = async (options: { readonly javaScriptEnabled?: boolean } = {}): Promise<Chromium> => {
  const profile = mkdtempSync(join(tmpdir(), "lat-chromium-"))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args,
    viewport: { width: 1024, height: 768 },
    ...options
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  const close = async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  return { context, page, complaints, close }
}

/** Nothing that axe-core finds wrong; no scrolling sideways from a small phone to a desktop; in light and dark. */
export const expectGood = async (page: Page): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    // Through the debugger, so that the page's own policy need not allow it.
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate("axe.run(document)")) as AxeResult
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`)
    expect([page.url(), colorScheme, found]).toStrictEqual([page.url(), colorScheme, []])
  }
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const needed = await page.evaluate("document.documentElement.scrollWidth")
    expect([page.url(), width, Number(needed) <= width]).toStrictEqual([page.url(), width, true])
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1024, height: 768 })
}
