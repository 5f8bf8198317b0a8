import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import axe from "axe-core"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, expect } from "@effect/vitest"
import { password } from "./SignInServer.ts"

const debian = "/usr/bin/chromium"
const cache = join(import.meta.dirname, "../../node_modules/.cache/chromium")

/** Unpacks the Chromium of the npm package once, even if other processes do so at the same time. */
const unpacked = async (): Promise<string> => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../node_modules/@sparticuz/chromium/package.json"), "utf8")
  ) as { readonly version: string }
  const folder = join(cache, version)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, "new-"))
  const { default: packed, inflate } = await import("@sparticuz/chromium")
  const { TMPDIR } = process.env
  // The package unpacks into the temporary folder, and assumes that files there are complete.
  process.env["TMPDIR"] = fresh
  try {
    await packed.executablePath()
    await inflate(join(import.meta.dirname, "../../node_modules/@sparticuz/chromium/bin/al2023.tar.br"))
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = TMPDIR
  }
  try {
    renameSync(fresh, folder)
  } catch {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

interface Installed {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/** Whether npm's Chromium runs here. It is that of a pinned version, and takes two thirds of Debian's processor time. */
const runsPacked = process.platform === "linux" && process.arch === "x64"

/** npm's Chromium where it runs, with its own fonts and missing libraries, else Debian's. */
const installed = async (): Promise<Installed> => {
  if (!runsPacked) return { executablePath: debian, env: {} }
  const folder = await unpacked()
  const executablePath = join(folder, "chromium")
  const fonts = join(folder, "fonts")
  writeFileSync(
    join(folder, "fonts.conf"),
    `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><cachedir>${fonts}-cache</cachedir></fontconfig>`
  )
  const isMissing = execFileSync("ldd", [executablePath], { encoding: "utf8" }).includes("not found")
  return {
    executablePath,
    env: {
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
      ...(isMissing ? { LD_LIBRARY_PATH: join(folder, "al2023/lib") } : {})
    }
  }
}

export const hasChromium = runsPacked || existsSync(debian)
if (!hasChromium)
  process.stderr.write(
    `SKIPPED: the browser tests need Debian's /usr/bin/chromium here: npm's is for Linux on x64, not ${process.platform} on ${process.arch}.\n`
  )

/** Options for a closed network, so that only the page itself is requested. */
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
  /** Violations of a page's policy, and errors in its console. */
  readonly complaints: Array<string>
  readonly close: () => Promise<void>
}

export interface ChromiumOptions {
  readonly javaScriptEnabled?: boolean
  /** With both of these, the browser is that of a phone, with touch input. */
  readonly hasTouch?: boolean
  readonly isMobile?: boolean
  /** Requests of a service worker bypass the routes that a test sets. */
  readonly serviceWorkers?: "block"
  readonly timezoneId?: string
}

const launch = async (): Promise<Browser> => {
  const { env, executablePath } = await installed()
  return chromium.launch({ executablePath, args, env: { ...(process.env as Record<string, string>), ...env } })
}

/**
 * Opens browsers for the tests of one file, each with its own cookies and storage. They share one process, whose start
 * takes four times as long as a browser in it, and which ends after the last test.
 */
export const givenChromium = (): ((options?: ChromiumOptions) => Promise<Chromium>) => {
  let launched: Promise<Browser> | undefined
  afterAll(async () => (await launched)?.close())
  return async (options = {}) => {
    launched ??= launch()
    const browser = await launched
    const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, ...options })
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text())
    })
    page.on("pageerror", (error) => complaints.push(String(error)))
    return { context, page, complaints, close: () => context.close() }
  }
}

/**
 * Takes the network from the pages of a browser and from its service worker, which gets to know it by itself: under load
 * it went on loading pages for a moment.
 */
export const goOffline = async (context: BrowserContext): Promise<void> => {
  await until("the service worker", () => context.serviceWorkers().length > 0)
  await context.setOffline(true)
  const isOffline = "fetch('/healthz', { cache: 'no-store' }).then(() => false, () => true)"
  for (const worker of context.serviceWorkers())
    await until("a service worker without network", () => worker.evaluate<boolean>(isOffline))
}

/** Fills in and sends the form of the sign-in page. */
export const signInOn = async (page: Page, email: string, given = password): Promise<void> => {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(given)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** What axe-core checks: in the dark, only what depends on colours. */
const checks = {
  light: "{ rules: { 'duplicate-id': { enabled: true } } }",
  dark: "{ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }"
} as const

/** Expects no findings of axe-core, and no horizontal scrolling from a small phone to a desktop, in light and dark. */
export const expectGood = async (page: Page): Promise<void> => {
  // Injected through the debugger, so that the page's policy need not allow it.
  await page.evaluate(axe.source)
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = (await page.evaluate(`axe.run(document, ${checks[colorScheme]})`)) as AxeResult
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`)
    expect([page.url(), colorScheme, found]).toStrictEqual([page.url(), colorScheme, []])
  }
  for (const width of [320, 360, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const needed = await page.evaluate("document.documentElement.scrollWidth")
    expect([page.url(), width, Number(needed) <= width]).toStrictEqual([page.url(), width, true])
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1024, height: 768 })
}
