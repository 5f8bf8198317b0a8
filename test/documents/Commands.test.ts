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

/** The lines that are typed in the blocks of a document, without the contents of files that they write. */
const typed = (path: string): ReadonlyArray<string> =>
  readDocument(path).steps.flatMap(({ kind, text }) =>
    kind === "tools" ? [] : text.replaceAll(heredoc, "<<'$1'\n").split("\n")
  )

it("typed() leaves out the contents of files that a block writes", () => {
  expect(typed("docs/import.md")).toContain("cat > Tasks.json <<'END'")
  expect(typed("docs/import.md")).not.toContain("# House")
})

it.each(documents)("%s has only commands that work alike in every shell", (path) => {
  // An interactive zsh passes a comment to the command as words.
  expect(typed(path).filter((line) => /(?:^|\s)#\s/.test(line))).toStrictEqual([])
  // In zsh and dash, unlike bash, `echo` interprets escapes such as \n.
  expect(typed(path).filter((line) => /\becho "?\$[A-Z{]/.test(line))).toStrictEqual([])
})
