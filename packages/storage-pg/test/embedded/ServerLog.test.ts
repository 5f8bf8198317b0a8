import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { surplusOf } from "../../src/embedded/ServerLog.ts"
import { end, Folder } from "./Participants.ts"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const mebibyte = 1_048_576
const file = (name: string, written: number, bytes = 1) => ({ name, bytes, written: EpochMillis(written) })

describe("the log of the embedded server", () => {
  it("keeps the newest files, within limits of number and size", () => {
    const files = Array.from({ length: 20 }, (_, at) => file(`${at}`, at))
    expect(surplusOf(files).toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `${at}`).toSorted())
    const large = Array.from({ length: 5 }, (_, at) => file(`${at}`, at, 30 * mebibyte))
    expect(surplusOf(large)).toEqual(["2", "1", "0"])
    expect(surplusOf([file("only", 0, 900 * mebibyte)])).toEqual([])
  })

  it("is pruned at start, also of files of earlier versions", async () => {
    const folder = new Folder()
    try {
      expect(await end(await folder.participant(), "SIGTERM")).toBe(0)
      const home = join(folder.dataDir, "postgres")
      const log = join(home, "log")
      mkdirSync(log, { recursive: true })
      for (let at = 0; at < 30; at++) {
        const path = join(log, `postgresql-2020010${at % 10}-0000${String(at).padStart(2, "0")}.log`)
        writeFileSync(path, "x")
        truncateSync(path, 4 * mebibyte)
        utimesSync(path, at, at)
      }
      writeFileSync(join(home, "start.log"), "x".repeat(100_000))
      const participant = await folder.participant()
      expect(readdirSync(log).length).toBeLessThanOrEqual(9)
      expect(statSync(join(home, "start.log")).size).toBeLessThan(65_536)
      expect(readdirSync(log).some((name) => /^postgresql-\d{8}-\d{6}\.log$/.test(name))).toBe(true)
      expect(await end(participant, "SIGTERM")).toBe(0)
    } finally {
      await folder.remove()
    }
  })
})
