/**
 * Builds the bundled programs (`dist/`), which `npm pack` includes and the launchers run, and every package ready to
 * publish (`build/<package>`). `--programs` builds only the programs, which needs no packages for development.
 */
import { join } from "node:path"
import { bundlePrograms } from "@lists-and-things/bundle/Programs"

const root = join(import.meta.dirname, "..")

await bundlePrograms(root)
if (!process.argv.includes("--programs")) {
  const { buildPackages } = await import("@lists-and-things/bundle/Packages")
  buildPackages(root)
}
