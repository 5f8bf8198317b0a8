import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Redacted from "effect/Redacted"
import { Accounts, type NewAccount } from "../../src/caller/Accounts.ts"
import type { AccountPatch } from "../../src/caller/AccountSettings.ts"
import type { PasswordHasher } from "../../src/caller/PasswordHasher.ts"
import { accountJson } from "../../src/json/AccountJson.ts"
import { callerLayer } from "./CallerLayer.ts"

const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure : undefined))

const test = (
  name: string,
  body: (accounts: Accounts["Service"]) => Effect.Effect<void, unknown, Accounts | PasswordHasher>
) => it.effect(name, () => Effect.provide(Effect.flatMap(Accounts, body), callerLayer))

describe("accounts", () => {
  test("begin with the default settings", (accounts) =>
    Effect.gen(function* () {
      const account = yield* accounts.create({ email: " Ann@Example.com " })
      expect(accountJson(account)).toStrictEqual({
        id: account.id,
        email: "Ann@Example.com",
        name: "",
        timezone: "UTC",
        default_thing_type: "todo",
        default_list_sort: "chronological",
        default_reminder_minutes: 0,
        default_alert_minutes: 0,
        default_reminder_color: "",
        repeat_moves_to_day: true,
        all_day_at: "09:00"
      })
    }))

  test("are found by id and by email ignoring case, and no two have the same email", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      expect(yield* accounts.get("ANN@example.com")).toStrictEqual(ann)
      expect(yield* accounts.get(ann.id)).toStrictEqual(ann)
      expect(yield* failureOf(accounts.create({ email: "Ann@Example.COM" }))).toEqual(
        expect.objectContaining({ _tag: "Conflict" })
      )
      const bob = yield* accounts.create({ email: "bob@example.com" })
      expect(yield* failureOf(accounts.update(bob.id, { email: "ANN@example.com" }))).toEqual(
        expect.objectContaining({ _tag: "Conflict" })
      )
      expect((yield* accounts.update("ann@example.com", { email: "ANN@example.com" })).account.email).toBe(
        "ANN@example.com"
      )
      expect(yield* failureOf(accounts.get("carl@example.com"))).toEqual(expect.objectContaining({ _tag: "NotFound" }))
    }))

  test("have the official spelling of their time zone, whatever the case of the input", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com", timezone: "europe/vienna" })
      expect(ann.timezone).toBe("Europe/Vienna")
      expect((yield* accounts.update(ann.id, { timezone: "ASIA/TOKYO" })).account.timezone).toBe("Asia/Tokyo")
    }))

  test("change only in the fields of a patch", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com", name: "Ann", timezone: "Europe/Berlin" })
      const patch = {
        defaultThingType: "note",
        defaultListSort: "alphabetical",
        defaultReminderMinutes: 30,
        defaultAlertMinutes: 10,
        defaultReminderColor: "#3AF",
        repeatMovesToDay: false
      }
      const { account: changed } = yield* accounts.update(ann.id, patch)
      expect(changed).toStrictEqual({
        ...ann,
        ...patch,
        defaultThingType: "none",
        defaultListSort: "alphabetical",
        defaultReminderColor: "#33aaff"
      })
      expect(yield* accounts.update(ann.id, {})).toStrictEqual({ account: changed, remindersMoved: 0 })
      expect((yield* accounts.update(ann.id, { defaultReminderColor: "" })).account.defaultReminderColor).toBe("")
    }))

  test("have names of at most 200 code points", (accounts) =>
    Effect.gen(function* () {
      for (const name of ["👩‍💻".repeat(66), "🙂".repeat(200), "می‌خواهم"])
        expect((yield* accounts.create({ email: `${name.length}@example.com`, name })).name).toBe(name)
    }))

  test("have an email of at most 254 characters, and durations and notices of at most a year", (accounts) =>
    Effect.gen(function* () {
      const longest = `${"a".repeat(242)}@example.com`
      const settings = { defaultReminderMinutes: 525_600, defaultAlertMinutes: 525_600, allDayAt: "23:59" }
      expect(yield* accounts.create({ email: longest, ...settings })).toMatchObject({ email: longest, ...settings })
    }))

  const wrong: ReadonlyArray<readonly [string, AccountPatch]> = [
    ["email", { email: "ann" }],
    ["email", { email: "ann@" }],
    ["email", { email: "a b@example.com" }],
    ["email", { email: "ann@example..com" }],
    ["email", { email: "ann@example.com." }],
    ["email", { email: `${"a".repeat(243)}@example.com` }],
    ["name", { name: "two\nlines" }],
    ["name", { name: "two\u2028lines" }],
    ["name", { name: "🙂".repeat(201) }],
    ["timezone", { timezone: "Mars/Olympus" }],
    ["timezone", { timezone: "" }],
    ["default_thing_type", { defaultThingType: "task" }],
    ["default_list_sort", { defaultListSort: "random" }],
    ["default_reminder_minutes", { defaultReminderMinutes: -1 }],
    ["default_reminder_minutes", { defaultReminderMinutes: 1.5 }],
    ["default_alert_minutes", { defaultAlertMinutes: 525_601 }],
    ["all_day_at", { allDayAt: "9:00" }],
    ["all_day_at", { allDayAt: "24:00" }],
    ["default_reminder_color", { defaultReminderColor: "red" }]
  ]
  for (const [field, patch] of wrong) {
    test(`refuse ${JSON.stringify(patch).slice(0, 60)}`, (accounts) =>
      Effect.gen(function* () {
        const made = yield* failureOf(accounts.create({ email: "ann@example.com", ...patch } as NewAccount))
        expect(made).toEqual(expect.objectContaining({ _tag: "InvalidInput", field }))
        yield* accounts.create({ email: "ann@example.com" })
        expect(yield* failureOf(accounts.update("ann@example.com", patch))).toEqual(
          expect.objectContaining({ _tag: "InvalidInput", field })
        )
      }))
  }

  test("are removed by email, and an unknown one is NotFound", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.create({ email: "bob@example.com" })
      expect(yield* accounts.remove("ann@example.com")).toStrictEqual(ann)
      expect((yield* accounts.list).map((account) => account.email)).toStrictEqual(["bob@example.com"])
      expect(yield* failureOf(accounts.remove(ann.id))).toEqual(expect.objectContaining({ _tag: "NotFound" }))
    }))

  test("sign in only with their own password", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.create({ email: "bob@example.com" })
      const password = Redacted.make("correct horse")
      expect(yield* failureOf(accounts.setPassword(ann.id, Redacted.make("short")))).toEqual(
        expect.objectContaining({ field: "password" })
      )
      yield* accounts.setPassword(ann.id, password)
      expect(yield* accounts.signIn("ANN@example.com", password)).toStrictEqual(ann)
      for (const [email, given] of [
        ["ann@example.com", Redacted.make("Correct horse")],
        ["bob@example.com", password],
        ["carl@example.com", password]
      ] as const) {
        expect(yield* failureOf(accounts.signIn(email, given))).toEqual(
          expect.objectContaining({ _tag: "Unauthorized" })
        )
      }
    }))

  test("have one feed token until it is rotated, independent of the password", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.setPassword(ann.id, Redacted.make("correct horse"))
      const first = yield* accounts.feedToken(ann.id)
      expect(first).toMatch(/^[0-9A-Za-z]{43}$/)
      expect(yield* accounts.feedToken("ann@example.com")).toBe(first)
      expect(yield* accounts.byFeedToken(first)).toStrictEqual(ann)
      const second = yield* accounts.rotateFeedToken(ann.id)
      expect(yield* failureOf(accounts.byFeedToken(first))).toEqual(expect.objectContaining({ _tag: "Unauthorized" }))
      expect(yield* accounts.byFeedToken(second)).toStrictEqual(ann)
      yield* accounts.signIn("ann@example.com", Redacted.make("correct horse"))
    }))
})
