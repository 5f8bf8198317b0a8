import { describe, expect, it } from "@effect/vitest"
import type { StorageStatus } from "@lists-and-things/domain/ports/StorageAdmin"
import { adviceOn, distributionCheck, referencesCheck, statusChecks } from "../src/commands/shell/DatabaseChecks.ts"
import { diskCheck, nodeCheck } from "../src/commands/shell/MachineChecks.ts"
import { epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const healthy: StorageStatus = {
  adapter: "postgres",
  location: "/var/lib/x",
  embedded: true,
  serverVersion: "18.4",
  schemaVersion: 3,
  latestSchemaVersion: 3,
  processes: 1,
  trigrams: true,
  acceptsWrites: true,
  otherWritable: [],
  missingRoleSettings: null,
  clock: EpochMillis(1_000_000),
  lastWrite: EpochMillis(999_000)
}

/** The states of the checks that are not ok, by name. */
const complaints = (
  status: Partial<StorageStatus>,
  asked = EpochMillis(1_000_000),
  answered = asked
): Record<string, string> =>
  Object.fromEntries(
    statusChecks({ ...healthy, ...status }, asked, answered)
      .filter((check) => check.state !== "ok")
      .map((check) => [check.name, check.state])
  )

describe("lat doctor", () => {
  it("reports dangling references as a problem", () => {
    expect(referencesCheck([]).state).toBe("ok")
    expect(referencesCheck([{ what: "copies of a thing", count: 3 }])).toMatchObject({
      state: "problem",
      found: "broken: 3 copies of a thing"
    })
  })

  it("reports a table of a cluster that is not distributed as a problem", () => {
    const nodes = [{ node: "10.0.0.2:5432", shards: 96, bytes: 1 }]
    expect(distributionCheck({ engine: "Citus 13.0.5", nodes: [], pending: ["things"] }).state).toBe("ok")
    expect(distributionCheck({ engine: "Citus 13.0.5", nodes, pending: [] }).state).toBe("ok")
    expect(distributionCheck({ engine: "Citus 13.0.5", nodes, pending: ["hooks"] }).state).toBe("problem")
  })

  it("reports nothing about a healthy database", () => {
    expect(complaints({})).toStrictEqual({})
    expect(complaints({ missingRoleSettings: [] })).toStrictEqual({})
  })

  it.each([
    [{ serverVersion: "14.9" }, { database: "problem" }],
    [{ serverVersion: "15.0" }, {}],
    [{ acceptsWrites: false }, { database: "problem" }],
    [{ otherWritable: ["db1:5432"] }, { database: "problem" }],
    [{ schemaVersion: 2 }, { migrations: "problem" }],
    [{ schemaVersion: 4 }, { migrations: "warning" }],
    [{ trigrams: false }, { extensions: "warning" }],
    [{ missingRoleSettings: ["alter role lists set jit = 'off'"] }, { pooler: "warning" }],
    [{ clock: EpochMillis(1_001_999) }, {}],
    [{ clock: EpochMillis(1_002_000) }, { clock: "warning" }],
    [{ clock: EpochMillis(1_059_999) }, { clock: "warning" }],
    [{ clock: EpochMillis(1_060_000) }, { clock: "problem" }],
    [{ clock: EpochMillis(900_000) }, { clock: "problem" }],
    [{ lastWrite: null }, {}],
    [{ lastWrite: EpochMillis(1_060_000) }, {}],
    [{ lastWrite: EpochMillis(1_060_001) }, { "last write": "warning" }],
    [{ adapter: "memory" as const }, { database: "warning" }]
  ])("reports about a database with %j: %j", (status, expected) => {
    expect(complaints(status)).toStrictEqual(expected)
  })

  it("does not take the duration of its own questions for a difference of the clocks", () => {
    expect(complaints({}, EpochMillis(990_000), EpochMillis(1_005_000))).toStrictEqual({})
    expect(complaints({}, EpochMillis(980_000), EpochMillis(998_000))).toStrictEqual({ clock: "warning" })
    expect(complaints({}, EpochMillis(1_002_000), EpochMillis(1_009_000))).toStrictEqual({ clock: "warning" })
  })

  it.each([
    ["28P01", "password"],
    ["28000", "pg_hba.conf"],
    ["3D000", "Make that database"],
    ["53300", "max_connections"],
    ["42501", "own"],
    ["3F000", "search_path"],
    ["42P01", "search_path"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "valid for the host"],
    ["ECONNREFUSED", "Check that the server of DATABASE_URL runs"]
  ])("gives, for the error %s of an external database, advice that mentions: %s", (code, expected) => {
    expect(adviceOn(Object.assign(new Error("no"), { code }))).toContain(expected)
  })

  it.each([
    ["22.17.0", "problem"],
    ["20.19.1", "problem"],
    ["22.18.0", "ok"],
    ["26.10.0", "ok"]
  ])("rates Node %s as: %s", (version, state) => {
    expect(nodeCheck(version).state).toBe(state)
  })

  it.each([
    [10, "problem"],
    [500, "warning"],
    [5000, "ok"]
  ])("rates %d MiB of free disk space as: %s", (mebibytes, state) => {
    expect(diskCheck("/", mebibytes * 1_048_576).state).toBe(state)
  })

  it("gives advice with every check of the database that is not ok", () => {
    for (const check of statusChecks(
      {
        ...healthy,
        serverVersion: "9",
        schemaVersion: 1,
        trigrams: false,
        missingRoleSettings: ["alter role lists set jit = 'off'"],
        clock: epoch,
        lastWrite: EpochMillis(2e9)
      },
      EpochMillis(1e9),
      EpochMillis(1e9)
    )) {
      expect(check.advice).not.toBeNull()
    }
  })
})
