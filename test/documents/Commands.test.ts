import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { readDocument, root } from "./Document.ts"

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`)
].filter((path) => path.endsWith(".md"))

const heredoc = /<<'(\w+)'.*\n[^]*?\n\1\n/g

/** What is typed in the blocks of a document, without the files that they write. */
const typed = (path: string): ReadonlyArray<string> =>
  readDocument(path).steps.flatMap(({ kind, text }) =>
    kind === "tools" ? [] : text.replaceAll(heredoc, "<<'$1'\n").split("\n")
  )

it("knows files that a block writes from what is typed", () => {
  expect(typed("docs/import.md")).toContain("cat > Tasks.json <<'END'")
  expect(typed("docs/import.md")).not.toContain("# House")
})

it.each(documents)("%s has commands that any shell takes as they are", (path) => {
  // zsh, where a person types, hands a comment to the command as words.
  expect(typed(path).filter((line) => /(?:^|\s)#\s/.test(line))).toStrictEqual([])
  // zsh and dash, unlike bash, read escapes such as \n in what `echo` is given.
  expect(typed(path).filter((line) => /\becho "?\$[A-Z{]/.test(line))).toStrictEqual([])
})
