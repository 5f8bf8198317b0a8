import { describe, expect, it } from "@effect/vitest"
import { Shown } from "./Shown.ts"

const [a, b, c] = [1, 2, 3].map((last) => `01a1fcca-34b5-7a8f-9c96-00000000000${last}`) as [string, string, string]

/** What a document of 22 November shows, beside what runs of 1 March say, in order. */
const compared = (...pairs: ReadonlyArray<readonly [shown: string, said: string]>) => {
  const shown = new Shown("2026-11-22")
  shown.today = "2027-03-01"
  return pairs.map(([documented, said]) => shown.matches(documented, said))
}

describe("what a document shows, beside what a run says", () => {
  it.each([
    ["a letter", "Added: Bread", "Added: Broad"],
    ["a line that is missing", "one\ntwo", "one"],
    ["a line more", "one", "one\ntwo"],
    ["one more field", `{"id":"${a}"}`, `{"id":"${b}","text":"x"}`],
    ["a value that is no id", `{"id":"${a}"}`, `{"id":"17"}`],
    ["two short ids in place of one", "09a2  [ ] Water\nDone: Water (09a2)", "77f1  [ ] Water\nDone: Water (77f2)"],
    ["a short id that is none", "09a2  [ ] Water", "water  [ ] Water"],
    ["two ids in place of one", `${a} ${a}`, `${a} ${b}`],
    ["a day that did not move along", "2026-11-23 [ ] Water", "2026-11-23 [ ] Water"],
    ["the next day", "2026-11-23 [ ] Water", "2027-03-03 [ ] Water"],
    ["a day far away", "2030-01-04", "2030-01-05"],
    ["another planned time", "2030-01-04T09:00:00.000Z", "2030-01-04T10:00:00.000Z"],
    ["what follows dots", "begins … ends", "begins in the middle"],
    ["lines in place of dots within one", "a … b", "a\nb"]
  ])("differs by %s", (_what, shown, said) => {
    expect(compared([shown, said])).toStrictEqual([false])
  })

  it.each([
    ["an id", a, b],
    ["a short id", "09a2  [ ] Water\nDone: Water (09a2)", "77f1  [ ] Water\nDone: Water (77f1)"],
    ["a day that moved along", "Due 2026-11-22, again 2026-12-06", "Due 2027-03-01, again 2027-03-15"],
    ["a reading of the clock", "2026-11-22T08:03:27.749Z", "2027-03-01T19:41:02.003Z"],
    ["a reading of the clock to the minute", "2026-11-22 09:03  First key", "2027-03-01 19:41  First key"],
    ["a key, cut", `lat_J8hDbQ1rBNtB_…`, `lat_aaaaaaaaaaaa_${"b".repeat(49)}`],
    ["dots", 'begins … ends {"a":…}', 'begins here, ends {"a":{"b":2}}'],
    ["a line of dots", "ok  node\n…\nok  disk", "ok  node\nok  port\nok  database\nok  disk"]
  ])("is alike but for %s", (_what, shown, said) => {
    expect(compared([shown, said])).toStrictEqual([true])
  })

  it("knows an id again", () => {
    expect(compared([`made ${a}`, `made ${c}`], [`gone ${a}`, `gone ${c}`])).toStrictEqual([true, true])
    expect(compared([`made ${a}`, `made ${c}`], [`gone ${a}`, `gone ${b}`])).toStrictEqual([true, false])
  })

  it("gives commands the values of the run, and documents those of the document", () => {
    const shown = new Shown("2026-11-22")
    shown.today = "2027-03-01"
    expect(shown.matches(a, b)).toBe(true)
    expect(shown.inRun(`lat thing done ${a} --date 2026-11-23`)).toBe(`lat thing done ${b} --date 2027-03-02`)
    expect(shown.inDocument(`${b} on 2027-03-02, ${c}`)).toBe(`${a} on 2026-11-23, ${c}`)
  })
})
