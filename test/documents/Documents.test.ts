import { expect, it } from "@effect/vitest"
import { follow } from "./Follow.ts"

/** Documents that a reader can follow with a running server; others are followed by tests of their own. */
const documents = [
  "README.md",
  "docs/rest.md",
  "docs/cli.md",
  "docs/import.md",
  "docs/assistant.md",
  "docs/calendar.md",
  "docs/history.md",
  "docs/webhooks.md"
]

it.each(documents)("%s shows the actual output of the product", { timeout: 600_000 }, async (path) => {
  expect(await follow(path)).not.toBe("")
})
