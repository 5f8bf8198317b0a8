import { describe, expect, it } from "@effect/vitest"
import { Progress } from "../src/Progress.ts"
import type { Terminal } from "../src/Terminal.ts"

const mode = { json: false, quiet: false }

/** A terminal of 30 columns that shows one line, and a clock that a test advances in steps of 250 ms. */
const stage = (over: Partial<Terminal> = {}, options = mode) => {
  let [shown, now] = ["", 0]
  const calls = new Set<() => void>()
  const terminal = {
    errIsTerminal: true,
    columns: 30,
    line: (text: string) => (shown = text),
    ...over
  } as Terminal
  const progress = new Progress(terminal, options, {
    now: () => now,
    every: (_interval, call) => {
      calls.add(call)
      return () => void calls.delete(call)
    }
  })
  const pass = (millis: number) => {
    for (const end = now + millis; now < end;) {
      now += 250
      for (const call of calls) call()
    }
    return shown
  }
  return { pass, progress, running: () => calls.size }
}

describe("progress", () => {
  it("is shown after one second, with the position and the elapsed time, cut to the width", () => {
    const { pass, progress } = stage()
    progress.begin("Importing")
    expect(pass(750)).toBe("")
    expect(pass(250)).toBe("Importing…  1 s")
    progress.at("2 of 9: a.md")
    expect(pass(1_250)).toBe("Importing…  2 of 9: a.md  2 s")
    progress.at("3 of 9: a-very-long-name.md")
    expect(pass(250)).toBe("Importing…  3 of 9: a-very-lo")
    progress.at("日本語日本語日本語日本語")
    expect(pass(250)).toBe("Importing…  日本語日本語日本")
  })

  it("clears its line at the end, and can begin again", () => {
    const { pass, progress, running } = stage()
    progress.begin("Opening the database")
    expect(pass(2_000)).toBe("Opening the database…  2 s")
    progress.end()
    expect([pass(2_000), running()]).toStrictEqual(["", 0])
    progress.begin("Exporting")
    progress.begin("Writing")
    expect([pass(1_000), running()]).toStrictEqual(["Writing…  1 s", 1])
  })

  it("is not shown off a terminal, with --quiet or with --json", () => {
    for (const { pass, progress } of [
      stage({ errIsTerminal: false }),
      stage({}, { ...mode, quiet: true }),
      stage({}, { ...mode, json: true })
    ]) {
      progress.begin("Importing")
      expect(pass(5_000)).toBe("")
    }
  })
})
