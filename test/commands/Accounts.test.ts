import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect, Redacted } from "effect"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
const ann = ["--account", "ann@example.com"]

beforeAll(async () => {
  await lat.quiet(["account", "create", "--email", "ann@example.com"])
})

afterAll(() => lat.close())

describe("an account", () => {
  const settings = [
    ["name", "Bob"],
    ["timezone", "Asia/Seoul"],
    ["default-thing-type", "bullet"],
    ["default-list-sort", "modified"],
    ["default-reminder-minutes", "30"],
    ["default-alert-minutes", "5"],
    ["default-reminder-color", "#00ff00"],
    ["repeat-moves-to-day", "false"],
    ["all-day-at", "07:30"]
  ] as const
  const shown = {
    name: "Bob",
    timezone: "Asia/Seoul",
    default_thing_type: "bullet",
    default_list_sort: "modified",
    default_reminder_minutes: 30,
    default_alert_minutes: 5,
    default_reminder_color: "#00ff00",
    repeat_moves_to_day: false,
    all_day_at: "07:30"
  }

  it("is created with any setting, and each can be changed", async () => {
    const options = settings.flatMap(([name, value]) => [`--${name}`, value])
    const made = await lat.json<object>(["account", "create", "--email", "bob@example.com", ...options])
    expect(made).toMatchObject(shown)
    await lat.quiet(["account", "create", "--email", "cho@example.com"])
    for (const [name, value] of settings) {
      const set = await lat.json<Record<string, unknown>>(["account", "set", "cho@example.com", `--${name}`, value])
      expect(String(set[name.replaceAll("-", "_")])).toBe(value)
    }
    expect(await lat.json(["account", "show", "cho@example.com"])).toMatchObject(shown)
    expect(await lat.quiet(["account", "list"])).toMatch(/^[0-9a-f-]{36}(\n[0-9a-f-]{36}){2}$/)
  })

  it("says, when its zone changes, how many reminders keep their wall time", async () => {
    const reminded = async (text: string) => {
      const id = await lat.quiet(["thing", "add", text, ...ann])
      await lat.output(["remind", id, "2031-02-03", "9:00", "--repeat", "weekly", ...ann])
    }
    const moved = async (zone: string) =>
      (await lat.output(["account", "set", "ann@example.com", "--timezone", zone])).split("\n").at(-1)
    expect(await moved("Asia/Tokyo")).toMatch(/^all_day_at/)
    await reminded("one")
    expect(await moved("Europe/Vienna")).toBe("1 reminder keeps its time of day in the new time zone.")
    await reminded("two")
    expect(await moved("Asia/Tokyo")).toBe("2 reminders keep their time of day in the new time zone.")
  })

  it("is opened only by the password that was read, without its line end", async () => {
    const words = ["account", "set", "ann@example.com", "--password-stdin"]
    await lat.output(words, { input: "correct horse battery\r\n" })
    const opens = (password: string) =>
      lat.ask(
        Effect.flatMap(Accounts, ({ signIn }) => Effect.isSuccess(signIn("ann@example.com", Redacted.make(password))))
      )
    expect([await opens("correct horse battery"), await opens("correct horse")]).toStrictEqual([true, false])
    expect((await lat.run(words, { answers: ["one two three", "one two four"] })).code).toBe(1)
    expect((await lat.run(words, { answers: ["one two three"] })).err).toContain("lat: Nothing was changed.\n")
    expect(await lat.run(words, { input: "short" })).toMatchObject({ code: 2, out: "" })
    expect(await lat.run([...words, "--timezone", "Mars/X"], { input: "not this one" })).toMatchObject({ code: 2 })
    expect(await opens("correct horse battery")).toBe(true)
  })

  it("has a secret address of its calendar", async () => {
    const { err, out } = await lat.run(["account", "feed", "ann@example.com"])
    expect(out).toMatch(/^http\S+\/reminders\.ics\?token=\S+\n$/)
    expect(err).toMatch(/^Keep it secret: whoever has it can read the reminders\.\n/)
  })

  it("loses every key on revoke, and counts only active keys", async () => {
    await lat.quiet(["account", "create", "--email", "lost@example.com"])
    for (const name of ["a", "b"]) await lat.quiet(["key", "create", "--account", "lost@example.com", "--name", name])
    const revoke = ["account", "revoke", "lost@example.com"]
    expect(await lat.run(revoke, { answers: ["n"] })).toMatchObject({ code: 1 })
    expect((await lat.run(["key", "list", "--account", "lost@example.com"])).out).not.toContain("revoked")
    const link = await lat.quiet([...revoke, "--yes"])
    expect(link).toMatch(/^http\S+\/sign-in\/welcome\?link=\S+$/)
    expect((await lat.output(["key", "list", "--account", "lost@example.com"])).match(/ revoked /g)).toHaveLength(2)
    await lat.quiet(["key", "create", "--account", "lost@example.com"])
    expect(await lat.json([...revoke, "--yes"])).toMatchObject({ revoked: { keys: 1, programs: 0 } })
  })
})

describe("deleting an account", () => {
  const remove = ["account", "delete", "gone@example.com"]

  it("continues only after yes, and requires --yes if nobody can be asked or with --json", async () => {
    await lat.quiet(["account", "create", "--email", "gone@example.com"])
    for (const answers of [[], [""], ["n"], ["yep"], ["yes please"], ["no y"]]) {
      const { code, err } = await lat.run(remove, { answers })
      expect([code, err]).toStrictEqual([1, expect.stringMatching(/^Deleting gone@.* cannot be undone\. Go on\? /)])
    }
    const unasked =
      "lat: Deleting gone@example.com with all lists, things, reminders and keys cannot be undone: confirm"
    for (const more of [{}, { answers: ["y"] }]) {
      const { code, err } = await lat.run([...remove, ...("answers" in more ? ["--json"] : [])], more)
      expect([code, err]).toStrictEqual([2, expect.stringContaining(unasked)])
    }
    expect((await lat.run(remove, { answers: [" YES "] })).out).toMatch(/^Deleted gone@example\.com \(\S+\) with/)
    expect((await lat.run(remove, { answers: ["y"] })).code).toBe(1)
  })

  it.each([
    ["account", "delete"],
    ["account", "revoke"],
    ["history", "erase"]
  ])("%s %s requires an explicit account, and ignores LAT_ACCOUNT", async (...words) => {
    const { code, err } = await lat.run([...words, "--yes"], { env: { LAT_ACCOUNT: "ann@example.com" } })
    expect([code, err]).toStrictEqual([2, expect.stringMatching(/^lat: missing required argument 'ACCOUNT'/)])
    expect(await lat.quiet(["account", "show", "ann@example.com"])).not.toBe("")
  })
})

describe("the account of a command", () => {
  it("is that of LAT_ACCOUNT unless the command line names one", async () => {
    const env = { LAT_ACCOUNT: "nobody@example.com" }
    const { code, err } = await lat.run(["list", "list"], { env })
    expect([code, err]).toStrictEqual([1, expect.stringMatching(/^lat: LAT_ACCOUNT: No account has the id or email/)])
    expect(await lat.json(["list", "list", "--account", "bob@example.com"], { env })).toStrictEqual([])
    const own = { LAT_ACCOUNT: "cho@example.com" }
    expect(await lat.json(["account", "show"], { env: own })).toMatchObject({ email: "cho@example.com" })
  })

  it("is chosen from a list of the first ten accounts and the number of others if it is missing", async () => {
    for (const n of Array.from({ length: 12 }).keys())
      await lat.quiet(["account", "create", "--email", `person-${n}@example.com`])
    const { err } = await lat.run(["list", "list"])
    expect(err.match(/^ {2}[0-9a-f-]{36} {2}\S+@example\.com$/gm)).toHaveLength(10)
    const all: ReadonlyArray<unknown> = await lat.json(["account", "list"])
    expect(err).toContain(`\n  and ${all.length - 10} more: lat account list\n`)
    const id = await lat.quiet(["account", "show", "ann@example.com"])
    const near = await lat.run(["account", "show", `${id.slice(0, -1)}x`])
    expect(near.err).toMatch(new RegExp(`\nDid you mean [^\n]*${id}`))
  })

  it("is an option, which an example of the same command has before `--`", async () => {
    const { err } = await lat.run(["thing", "add", "--", "-5 degrees"])
    expect(err).toMatch(/^For example: lat thing add --account \S+@example\.com -- '-5 degrees'$/m)
  })
})
