import { expect, it } from "@effect/vitest"
import { parseMarkdown } from "./ParseMarkdown.ts"
import { brokenCombination } from "../../src/things/ThingDraft.ts"

it("annotations cannot combine two states or two forms, which no other write can combine", () => {
  const words = ["completed", "canceled", "header", "subheader", "quote", "code"]
  const annotations = words.flatMap((one) => [one, ...words.map((other) => `${one} ${other}`)])
  const lines = ["a", "- [x] a", "- [-] a", "## a", "### a", "> a"]
  const documents = annotations.flatMap((each) => [
    ...lines.map((line) => `${line} <!-- lat: ${each} -->`),
    `\`\`\`js lat: ${each}\na\n\`\`\``
  ])
  const broken = documents.filter((document) =>
    parseMarkdown(document, { title: "none" }).items.some((item) => brokenCombination(item, "") !== undefined)
  )
  expect(broken).toStrictEqual([])
})
