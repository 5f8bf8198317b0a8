import { describe, expect, it } from "@effect/vitest"
import { Shown } from "./Shown.ts"

const [a, b, c] = [1, 2, 3].map((last) => `01a1fcca-34b5-7a8f-9c96-00000000000${last}`) as [string, string, string]

/** Compares pairs of texts, in order, of a document of 22 November and of a run on 1 March. */
const compared = (...pairs: ReadonlyArray<readonly [shown: string, said: string]>) => {
  const shown = new Shown("2026-11-22")
  shown.today = "2027-03-01"
  return pairs.map(([documented, said]) => shown.matches(documented, said))
}

describe("the comparison of a document with a run", () => {
  it.each([
    ["another letter", "Added: Bread", "Added: Broad"],
    ["a missing line", "one\ntwo", "one"],
    ["an additional line", "one", "one\ntwo"],
    ["an additional field", `{"id":"${a}"}`, `{"id":"${b}","text":"x"}`],
    ["a value that is no id", `{"id":"${a}"}`, `{"id":"17"}`],
    ["two short ids instead of one", "09a2  [ ] Water\nDone: Water (09a2)", "77f1  [ ] Water\nDone: Water (77f2)"],
    ["a word instead of a short id", "09a2  [ ] Water", "water  [ ] Water"],
    ["two ids instead of one", `${a} ${a}`, `${a} ${b}`],
    ["a near date that is not shifted", "2026-11-23 [ ] Water", "2026-11-23 [ ] Water"],
    ["a near date that is shifted too far", "2026-11-23 [ ] Water", "2027-03-03 [ ] Water"],
    ["another distant date", "2030-01-04", "2030-01-05"],
    ["another planned time", "2030-01-04T09:00:00.000Z", "2030-01-04T10:00:00.000Z"],
    ["a missing text after dots", "begins … ends", "begins in the middle"],
    ["a line break in place of dots within a line", "a … b", "a\nb"]
  ])("rejects %s", (_what, shown, said) => {
    expect(compared([shown, said])).toStrictEqual([false])
  })

  it.each([
    ["an id", a, b],
    ["a short id", "09a2  [ ] Water\nDone: Water (09a2)", "77f1  [ ] Water\nDone: Water (77f1)"],
    ["near dates that are shifted", "Due 2026-11-22, again 2026-12-06", "Due 2027-03-01, again 2027-03-15"],
    ["a reading of the clock", "2026-11-22T08:03:27.749Z", "2027-03-01T19:41:02.003Z"],
    ["a reading of the clock to the minute", "2026-11-22 09:03  First key", "2027-03-01 19:41  First key"],
    ["a shortened key", `lat_J8hDbQ1rBNtB_…`, `lat_aaaaaaaaaaaa_${"b".repeat(49)}`],
    ["dots", 'begins … ends {"a":…}', 'begins here, ends {"a":{"b":2}}'],
    ["a line of dots", "ok  node\n…\nok  disk", "ok  node\nok  port\nok  database\nok  disk"]
  ])("accepts a difference in %s", (_what, shown, said) => {
    expect(compared([shown, said])).toStrictEqual([true])
  })

  it("remembers the id of the run for an id of the document", () => {
    expect(compared([`made ${a}`, `made ${c}`], [`gone ${a}`, `gone ${c}`])).toStrictEqual([true, true])
    expect(compared([`made ${a}`, `made ${c}`], [`gone ${a}`, `gone ${b}`])).toStrictEqual([true, false])
  })

  it("replaces ids and dates in commands by those of the run, and in outputs by those of the document", () => {
    const shown = new Shown("2026-11-22")
    shown.today = "2027-03-01"
    expect(shown.matches(a, b)).toBe(true)
    expect(shown.inRun(`lat thing done ${a} --date 2026-11-23`)).toBe(`lat thing done ${b} --date 2027-03-02`)
    expect(shown.inDocument(`${b} on 2027-03-02, ${c}`)).toBe(`${a} on 2026-11-23, ${c}`)
  })
})
