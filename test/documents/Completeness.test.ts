import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { catalog } from "@lists-and-things/cli/Catalog"
import { webhookEvents } from "@lists-and-things/domain/model/Webhook"
import { llmsText } from "@lists-and-things/http/docs/LlmsText"
import { openApiDocument } from "@lists-and-things/http/docs/OpenApiDocument"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { root } from "./Document.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** All alternatives of a text such as `a\|b c`, which stands for `a c` and `b c`. */
const readings = (code: string): ReadonlyArray<string> =>
  code
    .split(" ")
    .map((word) => word.split(/\\?\|/))
    .reduce<ReadonlyArray<string>>(
      (done, words) => done.flatMap((start) => words.map((word) => `${start} ${word}`)),
      [""]
    )
    .map((reading) => reading.slice(1))

/** The texts in backticks of documents. */
const named = (...paths: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(paths.flatMap((path) => [...read(path).matchAll(/`([^`\n]+)`/g)]).flatMap(([, code = ""]) => readings(code)))

it("docs/contract.md or docs/decisions.md names every operation", () => {
  const names = named("docs/contract.md", "docs/decisions.md")
  const { paths } = openApiDocument("http://localhost:3000") as { readonly paths: Readonly<Record<string, object>> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  )
  expect(operations).toContain("GET /lists")
  expect(operations.filter((operation) => !names.has(operation))).toStrictEqual([])
})

it("docs/library.md names modules that exist", () => {
  const modules = [...named("docs/library.md")].filter((name) => /^[a-z]+\/[A-Z]\w+$/.test(name))
  expect(modules).toContain("lists/Lists")
  const folders = ["packages/domain/src", "packages/storage-pg/src"].map((folder) => join(root, folder))
  expect(modules.filter((name) => !folders.some((folder) => existsSync(join(folder, `${name}.ts`))))).toStrictEqual([])
})

it("docs/cli.md names every command", () => {
  const names = named("docs/cli.md")
  const commands = catalog.filter(({ hidden }) => hidden !== true).map(({ path }) => path.join(" "))
  expect(commands).toContain("list show")
  expect(commands.filter((command) => !names.has(command))).toStrictEqual([])
})

it("each event of webhooks is described where people and programs look for it", () => {
  const [, table = ""] = read("docs/webhooks.md").split("## Events\n")
  const [, events = ""] = /^const events = \[(.*?)^\]/ms.exec(read("packages/domain/src/json/WebhookJson.ts")) ?? []
  const text = llmsText(openApiDocument("http://localhost:3000"), "http://localhost:3000")
  const client = read("packages/client/src/Webhooks.ts")
  const places = (event: string) => ({
    "docs/webhooks.md": table.includes(`| \`${event}\` |`),
    "packages/domain/src/json/WebhookJson.ts": events.includes(`\`${event}\``),
    "packages/http/src/docs/LlmsText.ts": text.includes(`\n${event}, sent `),
    "packages/client/src/Webhooks.ts": client.includes(`type: "${event}"`)
  })
  const missing = webhookEvents.flatMap((event) =>
    Object.entries(places(event)).flatMap(([place, isThere]) => (isThere ? [] : [`${event}: ${place}`]))
  )
  expect(missing).toStrictEqual([])
})

it("the documents state the right number of tools", () => {
  // A line with a date is a record of that day.
  const counts = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      read(`docs/${name}`)
        .split("\n")
        .map((line) => ({ name, line }))
    )
    .filter(({ line }) => !/\d{4}-\d\d-\d\d/.test(line))
    .flatMap(({ line, name }) => [...line.matchAll(/\b(\d+) tools\b/g)].map(([, count]) => `${name}: ${count}`))
  expect(counts).toContain(`mcp.md: ${allTools.length}`)
  expect(counts.filter((count) => !count.endsWith(` ${allTools.length}`))).toStrictEqual([])
})
