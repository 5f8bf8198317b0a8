import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as NodeCrypto from "@lists-and-things/platform-node/NodeCrypto"
import { connect } from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { fetchBinaries } from "@lists-and-things/storage-pg/embedded/Upgrade"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { callerOf } from "@lists-and-things/testing/AsOwner"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./Release.ts"

const older = 17
const folder = mkdtempSync(join(tmpdir(), "lat-upgrade-test-"))
chmodSync(folder, 0o711)
const dataDir = join(folder, "installation")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const lat = (...args: ReadonlyArray<string>) => {
  // The environment includes npm's settings, which may name another registry. Nothing is left in a folder for temporary
  // files, where a dump may find no room.
  const paths = { LAT_DATA_DIR: dataDir, TMPDIR: join(folder, "missing") }
  // What was fetched above is not asked of the registry again, which may be out of reach by now.
  const env = { ...process.env, DATABASE_URL: "", ...paths, npm_config_prefer_offline: "true" }
  return spawnSync(process.execPath, [join(root, "bin/lat.mjs"), ...args], { env, encoding: "utf8" })
}

const fetched = await Effect.runPromise(Effect.result(fetchBinaries(older, folder)))
const shown = Result.isSuccess(fetched)
if (!shown) process.stderr.write(`NOT SHOWN: an upgrade from PostgreSQL ${older}: ${fetched.failure.message}\n`)

it.skipIf(!shown)("data of an older PostgreSQL is refused, upgraded by lat db upgrade, and kept", async () => {
  const native = Result.getOrThrow(fetched)
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { location, url } = yield* connect(dataDir, native)
        const ports = PgStorage.layer({ url, location, embedded: true })
        yield* Effect.gen(function* () {
          const account = yield* (yield* Accounts).create({ email: "ann@example.com" })
          const lists = yield* Lists
          yield* Effect.provideService(lists.create({ title: "Trip to Lisbon" }), Caller, callerOf(account))
        }).pipe(Effect.provide(useCases.pipe(Layer.provideMerge(ports), Layer.provideMerge(NodeCrypto.layer))))
        // So it runs after an upgrade that was killed, too.
        expect(lat("db", "upgrade").stderr).toMatch(
          /stop the programs that use it, and then run '.*lat(?:\.mjs)? db stop'/
        )
      })
    )
  )
  const refused = lat("list", "ls")
  expect(refused.status).toBe(1)
  expect(refused.stderr).toMatch(/is of PostgreSQL 17, and this release brings 18: run '.*lat(?:\.mjs)? db upgrade'/)

  // The server's user, as that of a service, is not the one that root would choose.
  const home = join(dataDir, "postgres")
  if (process.geteuid?.() === 0) spawnSync("chown", ["-R", "1:1", home])
  const owner = statSync(home).uid
  // Left by an upgrade that was killed.
  mkdirSync(join(dataDir, "upgrade"))
  writeFileSync(join(dataDir, "upgrade", "dump"), "")

  const upgraded = lat("db", "upgrade", "--json")
  expect(upgraded.stderr).toBe("")
  const { from, kept, rows, to } = JSON.parse(upgraded.stdout) as {
    readonly from: number
    readonly to: number
    readonly kept: string
    readonly rows: Readonly<Record<string, number>>
  }
  expect([from, to, rows["accounts"], rows["lists"]]).toStrictEqual([17, 18, 1, 1])
  expect(readFileSync(join(kept, "PG_VERSION"), "utf8")).toBe("17\n")
  expect(existsSync(join(dataDir, "upgrade"))).toBe(false)
  expect(statSync(join(home, "data")).uid).toBe(owner)

  expect(lat("list", "ls").stdout).toContain("Trip to Lisbon")
  expect(lat("db", "upgrade").stdout).toMatch(/^Nothing to do/)
  lat("db", "stop")
})
