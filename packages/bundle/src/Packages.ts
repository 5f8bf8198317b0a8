import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"

type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: {
    readonly dependencies?: Readonly<Record<string, string>>
    readonly peerDependencies?: Readonly<Record<string, string>>
  }
}

/** Not published: the build itself, and sources that only this repository's tests use. */
const unpublished = { package: "bundle", sources: "src/testing" }

/** Compiles every package into a folder of its name in `compiled`. Throws if the compiler reports errors. */
const compile = (root: string, compiled: string): void => {
  const config = join(compiled, "tsconfig.json")
  mkdirSync(compiled, { recursive: true })
  const compilerOptions = {
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    declarationMap: true,
    sourceMap: true,
    rootDir: join(root, "packages"),
    outDir: compiled,
    typeRoots: [join(root, "node_modules/@types")]
  }
  const include = [join(root, "packages/*/src/**/*.ts")]
  const exclude = [
    join(root, "packages", unpublished.package),
    join(root, "packages/*", unpublished.sources),
    "**/node_modules"
  ]
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include, exclude }, null, 2)
  )
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", config], {
    stdio: ["ignore", 2, 2]
  })
}

/** Rewrites imports in declarations from `.ts` to `.js`, which TypeScript does not. */
const withEndings = (declarations: string): string =>
  declarations.replace(/(\b(?:from|import)[ (]")(\.\.?\/[^"\n]*)\.ts(")/g, "$1$2.js$3")

/** Copies the compiled files to `dist/`; source maps point to the sources in `src/`. */
const placeCompiled = (from: string, to: string): void => {
  for (const path of globSync("**/*.{js,ts,map}", { cwd: from })) {
    const [source, target] = [join(from, path), join(to, "dist", path)]
    mkdirSync(dirname(target), { recursive: true })
    const text = readFileSync(source, "utf8")
    if (path.endsWith(".d.ts")) writeFileSync(target, withEndings(text))
    else if (path.endsWith(".map")) {
      const original = join(to, "src", path.replace(/(?:\.d\.ts|\.js)\.map$/, ".ts"))
      const sources = [relative(dirname(target), original).replaceAll(sep, "/")]
      writeFileSync(target, JSON.stringify({ ...JSON.parse(text), sources }))
    } else writeFileSync(target, text)
  }
}

const publishedExports = (exports: Manifest["exports"]) =>
  Object.fromEntries(
    Object.entries(exports).map(([name, path]) => {
      const compiled = path.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1")
      return [name, compiled === path ? path : { types: `${compiled}.d.ts`, default: `${compiled}.js` }]
    })
  )

/**
 * Makes Effect a peer dependency, so that a program has one copy of it. Only the patch version may differ, since minor
 * versions move modules (docs/adr/0001-stack-and-versions.md).
 */
const publishedDependencies = ({ dependencies = {}, publishConfig }: Manifest) => {
  const { effect, ...others } = dependencies
  const peers = { ...(effect !== undefined && { effect: `~${effect}` }), ...publishConfig?.peerDependencies }
  return {
    dependencies: { ...others, ...publishConfig?.dependencies },
    ...(Object.keys(peers).length > 0 && { peerDependencies: peers })
  }
}

/** The first sentence of the README, without its full stop. */
const descriptionOf = (folder: string): string =>
  readFileSync(join(folder, "README.md"), "utf8")
    .split("\n\n")[1]!
    .replaceAll("\n", " ")
    .replace(/`/g, "")
    .replace(/(?<=\w)[.:](?: .*)?$/, "")

const publishedManifest = (manifest: Manifest, folder: string, contents: ReadonlyArray<string>) => {
  const { dependencies: _d, devDependencies: _v, exports, private: _p, publishConfig: _c, ...rest } = manifest
  return {
    ...rest,
    description: descriptionOf(folder),
    engines: manifest.engines ?? { node: ">=22.18" },
    exports: publishedExports(exports),
    files: contents,
    ...publishedDependencies(manifest)
  }
}

const place = (root: string, compiled: string, name: string, to: string): void => {
  const folder = join(root, "packages", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  placeCompiled(join(compiled, name, "src"), to)
  const extra = ["golden"].filter((each) => existsSync(join(folder, each)))
  for (const each of ["src", ...extra])
    cpSync(join(folder, each), join(to, each), {
      recursive: true,
      filter: (path) => path !== join(folder, unpublished.sources)
    })
  cpSync(join(folder, "README.md"), join(to, "README.md"))
  cpSync(join(root, "LICENSE"), join(to, "LICENSE"))
  const published = publishedManifest(manifest, folder, ["dist", "src", ...extra])
  writeFileSync(join(to, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
}

/** Builds `build/<package>` for each package, ready for `npm pack` and `npm publish`. */
export const buildPackages = (root: string): void => {
  const build = join(root, "build")
  const compiled = join(build, ".compiled")
  rmSync(build, { recursive: true, force: true })
  compile(root, compiled)
  for (const name of readdirSync(join(root, "packages")))
    if (name !== unpublished.package) place(root, compiled, name, join(build, name))
  rmSync(compiled, { recursive: true })
}
