/**
 * Checks that every link between the project's documents resolves: links in markdown files, and citations of documents
 * (`docs/decisions.md#reminders`) in comments of the source. It must find the fixture's dead links.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import GithubSlugger from "github-slugger"
import MarkdownIt from "markdown-it"

const root = fileURLToPath(new URL("..", import.meta.url))
const markdown = new MarkdownIt({ html: true })

interface Link {
  readonly file: string
  readonly target: string
  /** The folder against which a relative target is resolved. */
  readonly base: string
}

/** All files that git tracks or would track. */
const files = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .stdout.split("\n")
  .filter((file) => /\.(md|ts|mjs)$/.test(file) && existsSync(resolve(root, file)))

const anchors = new Map<string, ReadonlySet<string>>()

/** The anchors of a document's headings, as GitHub generates them. */
const anchorsOf = (file: string): ReadonlySet<string> => {
  const known = anchors.get(file)
  if (known !== undefined) return known
  const slugger = new GithubSlugger()
  const tokens = markdown.parse(readFileSync(file, "utf8"), {})
  const made = new Set(
    tokens.flatMap((token, at) => {
      const inline = tokens[at + 1]
      if (token.type !== "heading_open" || inline === undefined) return []
      const text = (inline.children ?? []).map((child) => child.content).join("")
      return [slugger.slug(text)]
    })
  )
  anchors.set(file, made)
  return made
}

const linksOfMarkdown = (file: string): ReadonlyArray<Link> =>
  markdown
    .parse(readFileSync(resolve(root, file), "utf8"), {})
    .flatMap((token) => token.children ?? [])
    .flatMap((token) => [token.attrGet("href"), token.attrGet("src")])
    .filter((target): target is string => typeof target === "string" && !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .map((target) => ({ file, target, base: dirname(resolve(root, file)) }))

const commentsOf = (file: string): string =>
  readFileSync(resolve(root, file), "utf8")
    .split("\n")
    .filter((line) => /^ *(?:\*|\/\*|\/\/)/.test(line))
    .join("\n")

const linksOfSource = (file: string): ReadonlyArray<Link> =>
  [...commentsOf(file).matchAll(/\bdocs\/[\w/-]{1,80}\.md(?:#[\w-]{1,80})?/g)].map(([target]) => ({
    file,
    target,
    base: root
  }))

const isDead = ({ file, target, base }: Link): boolean => {
  const [path = "", anchor] = decodeURI(target).split("#")
  const document = path === "" ? resolve(root, file) : resolve(base, path)
  if (!existsSync(document)) return true
  return anchor !== undefined && document.endsWith(".md") && !anchorsOf(document).has(anchor)
}

const fixtures = files.filter((file) => file.startsWith("test/fixtures/links/"))
const own = files.filter((file) => !file.includes("/fixtures/") && file !== "scripts/check-links.ts")
const linksOf = (file: string) => (file.endsWith(".md") ? linksOfMarkdown(file) : linksOfSource(file))

const links = own.flatMap(linksOf)
const dead = links.filter(isDead)
for (const { file, target } of dead) console.error(`${file}: nothing is at ${target}`)

/** Citations by number or in brackets, instead of by a link. */
const unlinked = own.filter(
  (file) => !file.endsWith(".md") && /\b[Dd]ecisions? \d|\(contract[,)]/.test(commentsOf(file))
)
for (const file of unlinked) console.error(`${file}: cites the contract or a decision without a link`)

const caught = fixtures.flatMap(linksOf).filter(isDead)
if (caught.length !== 3) {
  console.error(
    `The fixture has three dead links, and the check found ${caught.length} below ${relative(root, "test/fixtures/links")}.`
  )
  process.exit(1)
}
if (dead.length + unlinked.length > 0) process.exit(1)
console.log(`${links.length} links lead somewhere; the fixture's dead ones were caught.`)
