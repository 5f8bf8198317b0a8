import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeOtherCopies } from "../../src/embedded/Binaries.ts"

describe("copies of the binaries", () => {
  it.effect("for other versions, and unfinished ones, are removed", () =>
    Effect.gen(function* () {
      const home = mkdtempSync(join(tmpdir(), "lat-copies-"))
      try {
        const native = { folder: "", version: "18.5.0" }
        const removed = Effect.suspend(() => removeOtherCopies(home, home, undefined, native))
        yield* removed
        expect(existsSync(join(home, "binaries"))).toBe(false)

        const name = (version: string) => `postgres-${version}-${process.arch}`
        const ended = 2 ** 30
        const kept = [name("18.5.0"), `${name("18.6.0")}.new-${process.pid}`, "theirs"]
        const others = [name("18.4.0"), `${name("18.5.0")}.new-${ended}`]
        for (const each of [...kept, ...others]) mkdirSync(join(home, "binaries", each, "bin"), { recursive: true })
        yield* removed
        expect(readdirSync(join(home, "binaries"))).toStrictEqual(kept)
      } finally {
        rmSync(home, { recursive: true })
      }
    })
  )
})
