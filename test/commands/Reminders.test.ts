import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { middayZone } from "@lists-and-things/testing/Midday"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()

beforeAll(async () => {
  await lat.json(["account", "create", "--email", "ann@example.com", "--timezone", "Europe/Vienna"])
})

afterAll(() => lat.close())

const add = (text: string) => lat.json<{ readonly id: string }>(["thing", "add", text, "--list", "2030-12-01"])

describe("remind", () => {
  it("sets a reminder from words, prints it with its next times, lists and removes it", async () => {
    const plants = await add("Water the plants")
    await add("Feed the cat")
    const words = ["remind", "water", "the", "plants", "saturday", "9:00", "--repeat", "weekly", "--every", "2"]
    expect(await lat.output(words)).toMatch(
      /^Water the plants \(\w+\): every 2 weeks on Saturday at 09:00, Europe\/Vienna\nNext: Saturday \d{4}-\d\d-\d\d 09:00, Saturday \S+ 09:00, Saturday \S+ 09:00$/
    )
    const days = await lat.json([
      "remind",
      plants.id,
      "2031-01-01",
      "18:30",
      "--days",
      "mon,thu",
      "--alert-minutes",
      "10"
    ])
    expect(days).toMatchObject({
      thing_id: plants.id,
      at: "2031-01-02T17:30:00.000Z",
      repeat: "weekly",
      days: ["monday", "thursday"],
      alert_minutes: 10,
      occurrences: ["2031-01-02T17:30:00.000Z", "2031-01-06T17:30:00.000Z", "2031-01-09T17:30:00.000Z"]
    })
    expect(await lat.output(["remind", "feed the cat", "2031-01-01"])).toMatch(
      /^Feed the cat \(\w+\): once on Wednesday 2031-01-01, all day, Europe\/Vienna$/
    )
    const listed = (await lat.output(["reminders"])).split("\n").map((line) => line.split(/ {2,}/).slice(1))
    expect(listed).toStrictEqual([
      ["DUE (Europe/Vienna)", "TEXT", "REPEATS"],
      ["Wednesday 2031-01-01", "Feed the cat"],
      ["Thursday 2031-01-02 18:30", "Water the plants", "every week on Monday and Thursday at 18:30"]
    ])
    expect(await lat.output(["today", "--date", "2030-12-01"])).toContain(
      "Water the plants  (2031-01-02 18:30, every week on Monday and Thursday)"
    )
    expect(await lat.json(["reminders", "--days", "3"])).toStrictEqual([])
    expect(await lat.json(["reminders", "--days", "36500"])).toHaveLength(2)
    expect(await lat.output(["remind", "feed", "the", "cat", "at", "9", "on", "2031-01-01"])).toMatch(
      /^Feed the cat \(\w+\): once on Wednesday 2031-01-01 at 09:00, Europe\/Vienna$/
    )
    expect(await lat.output(["remind", "feed the cat", "in", "2", "hours"])).toMatch(/^Feed the cat \(\w+\): once on /)
    expect(await lat.output(["remind", "feed the cat", "--off"])).toMatch(/^Removed the reminder of Feed the cat/)
    expect(await lat.output(["remind", "feed the cat", "--off"])).toMatch(/^Feed the cat \(\w+\) has no reminder\.$/)
  })

  it("reads how often from the words of WHEN", async () => {
    await add("Take out the trash")
    const set = await lat.output(["remind", "take", "out", "the", "trash", "every", "thu", "at", "7"])
    expect(set).toMatch(/^Take out the trash \(\w+\): every week on Thursday at 07:00, Europe\/Vienna\nNext: Thursday /)
  })

  it("repeats up to and including the day of --repeat-until", async () => {
    await add("Take a pill")
    const until = async (last: string, at: string) => {
      const set = await lat.run(["remind", "take a pill", at, "--repeat", "daily", "--repeat-until", last, "--json"])
      const { occurrences, repeat_until } = JSON.parse(set.out)
      return [set.err, occurrences.at(-1), repeat_until]
    }
    const lastMoment = "2031-01-03T22:59:59.999Z"
    expect(await until("2031-01-03", "2031-01-02 9:00")).toStrictEqual(["", "2031-01-03T08:00:00.000Z", lastMoment])
    expect(await until("2031-01-03", "2031-01-03 9:00")).toStrictEqual(["", "2031-01-03T08:00:00.000Z", lastMoment])
    const midnight = "2031-01-02T23:00:00.000Z"
    expect(await until("2031-01-03", "2031-01-02")).toStrictEqual(["", midnight, midnight])
    expect(await until("2031-01-03 8:00", "2031-01-02 9:00")).toStrictEqual([
      "",
      "2031-01-02T08:00:00.000Z",
      "2031-01-03T07:00:00.000Z"
    ])
  })

  it("warns that a time is in the past, and lists the reminder as overdue", async () => {
    await add("Pay rent")
    const late = await lat.run(["remind", "pay rent", "2026-01-02", "8:00"])
    expect([late.code, late.err]).toStrictEqual([0, expect.stringContaining("is in the past")])
    expect(await lat.output(["reminders"])).toMatch(/Friday 2026-01-02 08:00 \(overdue\) +Pay rent$/m)
    expect(await lat.json(["reminders", "--overdue"])).toMatchObject([{ text: "Pay rent" }])
    const both = await lat.run(["reminders", "--overdue", "--days", "3"])
    expect([both.code, both.err]).toStrictEqual([2, expect.stringContaining("--overdue and --days exclude each other")])
  })

  it("shows what comes again within --days, and on the day of lat today --date", async () => {
    const own = ["--account", "again@example.com"]
    await lat.json(["account", "create", "--email", "again@example.com", "--timezone", "Europe/Vienna"])
    try {
      await lat.json(["thing", "add", "Stretch", ...own])
      await lat.json(["remind", "stretch", "2026-01-02", "8:00", "daily", ...own])
      expect(await lat.json(["reminders", "--days", "1", ...own])).toMatchObject([
        { text: "Stretch", at: "2026-01-02T07:00:00.000Z", again_at: expect.stringMatching(/T0[67]:00:00\.000Z$/) }
      ])
      expect(await lat.output(["reminders", "--days", "1", ...own])).toMatch(
        /day \d{4}-\d\d-\d\d 08:00 \(again\) +Stretch +every day at 08:00$/m
      )
      expect(await lat.json(["reminders", ...own])).not.toHaveProperty("0.again_at")
      expect(await lat.output(["today", "--date", "2031-07-01", ...own])).toMatch(
        /\n\nComes again on this day, in other lists\n\w+ {2}\[ \] Stretch {2}\(2031-07-01 08:00, every day\) {2}in /
      )
      expect(await lat.output(["today", ...own])).not.toContain("Comes again")
    } finally {
      await lat.json(["account", "delete", "again@example.com", "--yes"])
    }
  })

  it("lists all reminders due within --days, even more than one page", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lat-remind-"))
    try {
      await lat.json(["account", "create", "--email", "busy@example.com", "--timezone", middayZone])
      const [name, busy] = [join(folder, "busy@example.com.json"), ["--account", "busy@example.com"]]
      const { id } = await lat.json<{ readonly id: string }>(["thing", "add", "Call", ...busy])
      await lat.json(["remind", id, "tomorrow", ...busy])
      await lat.json(["export", "--format", "json", "--out", folder, ...busy])
      const backup = JSON.parse(await readFile(name, "utf8"))
      const numbered = (id: string, at: number) => id.slice(0, -4) + String(at).padStart(4, "0")
      const each = (one: { readonly id: string; readonly thing_id?: string }, at: number) => ({
        ...one,
        id: numbered(one.id, at),
        ...(one.thing_id !== undefined && { thing_id: numbered(one.thing_id, at) })
      })
      for (const field of ["things", "reminders"])
        backup[field] = Array.from({ length: 230 }, (_, at) => each(backup[field][0], at))
      await writeFile(name, JSON.stringify(backup))
      await lat.json(["account", "create", "--email", "busier@example.com", "--timezone", middayZone])
      await lat.json(["restore", name, "--account", "busier@example.com"])
      const within = (days: string) => lat.json(["reminders", "--days", days, "--account", "busier@example.com"])
      for (const days of ["3", "2", "999999999999999"]) expect(await within(days)).toHaveLength(230)
      for (const days of ["0", "1"]) expect(await within(days)).toHaveLength(0)
    } finally {
      await rm(folder, { recursive: true })
      for (const email of ["busy@example.com", "busier@example.com"])
        await lat.json(["account", "delete", email, "--yes"]).catch(() => undefined)
    }
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["water", "the", "plants"], /no time is at the end of 'water the plants'\nFor example: lat remind/],
    [
      ["plants", "soon"],
      /no time is at the end of 'plants soon'\nFor example: lat remind 'plants' tomorrow 9:00\nTimes: /
    ],
    [["plants", "next", "tuesday", "9:00"], /^lat: 'next tuesday' can be \S+ or \S+: say 'tuesday' for the first/],
    [["plants", "next", "week"], /^lat: 'next week' is no day/],
    [["plants", "tomorrow", "--every", "2"], /--every needs --repeat/],
    [["plants", "every", "mon", "--repeat", "weekly"], /^lat: --repeat says once more how often it repeats/],
    [["plants", "tomorrow", "--every", "2", "--repeat", "weekly", "--days", "mon"], /--every and --days exclude/],
    [["plants", "tomorrow", "--repeat", "hourly"], /--repeat must be one of daily/],
    [["plants", "tonight"], /^lat: 'tonight' is no time: say one, such as 'today 21:00'/],
    [["plants", "tomorrow", "--repeat-until", "never"], /--repeat-until: 'never' is no time/],
    [["plants", "tomorrow", "--repeat-until", "next tuesday"], /--repeat-until: 'next tuesday' can be \S+ or \S+: say/],
    [["plants", "tomorrow", "--days", "moon"], /--days must|days\[0\] must/],
    [
      ["plants", "tomorrow", "9:00", "--days", "mon", "--repeat", "daily"],
      /^lat: --days and --repeat daily exclude each other: days make a reminder weekly\n$/
    ],
    [
      ["plants", "tomorrow", "--duration-minutes", "30"],
      /^lat: --duration-minutes needs a time of day, such as 9:00: a day alone lasts all day\n$/
    ],
    [
      ["plants", "tomorrow", "9:00", "--repeat", "daily", "--repeat-until", "yesterday"],
      /^lat: --repeat-until must be after WHEN, not "yesterday"\n$/
    ]
  ]
  it.each(wrong)("refuses %j", async (words, message) => {
    const { code, err } = await lat.run(["remind", ...words])
    expect([code, err]).toStrictEqual([2, expect.stringMatching(message)])
  })
})
