/**
 * Makes the bundled programs (`dist/`) that `npm pack` takes and the launchers run, and every package ready to publish
 * (`build/<package>`). `--programs` makes the programs alone, which needs nothing of development.
 */
import { join } from "node:path"
import { bundlePrograms } from "@lists-and-things/bundle/Programs"

const root = join(import.meta.dirname, "..")

await bundlePrograms(root)
if (!process.argv.includes("--programs")) {
  const { buildPackages } = await import("@lists-and-things/bundle/Packages")
  buildPackages(root)
}
