import { assert, describe, it } from "@effect/vitest"
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
  test("begin with the agreed settings", (accounts) =>
    Effect.gen(function* () {
      const account = yield* accounts.create({ email: " Ann@Example.com " })
      assert.deepStrictEqual(accountJson(account), {
        id: account.id,
        email: "Ann@Example.com",
        name: "",
        timezone: "UTC",
        default_thing_type: "todo",
        default_list_sort: "chronological",
        default_reminder_minutes: 0,
        default_alert_minutes: 0,
        default_reminder_color: "",
        repeat_moves_to_day: true
      })
    }))

  test("are found by id and by email ignoring case, and never share one", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      assert.deepStrictEqual(yield* accounts.get("ANN@example.com"), ann)
      assert.deepStrictEqual(yield* accounts.get(ann.id), ann)
      assert.deepInclude(yield* failureOf(accounts.create({ email: "Ann@Example.COM" })), { _tag: "Conflict" })
      const bob = yield* accounts.create({ email: "bob@example.com" })
      assert.deepInclude(yield* failureOf(accounts.update(bob.id, { email: "ANN@example.com" })), { _tag: "Conflict" })
      assert.strictEqual(
        (yield* accounts.update("ann@example.com", { email: "ANN@example.com" })).account.email,
        "ANN@example.com"
      )
      assert.deepInclude(yield* failureOf(accounts.get("carl@example.com")), { _tag: "NotFound" })
    }))

  test("change only what a patch names", (accounts) =>
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
      assert.deepStrictEqual(changed, {
        ...ann,
        ...patch,
        defaultThingType: "none",
        defaultListSort: "alphabetical",
        defaultReminderColor: "#33aaff"
      })
      assert.deepStrictEqual(yield* accounts.update(ann.id, {}), { account: changed, remindersMoved: 0 })
      assert.strictEqual(
        (yield* accounts.update(ann.id, { defaultReminderColor: "" })).account.defaultReminderColor,
        ""
      )
    }))

  const wrong: ReadonlyArray<readonly [string, AccountPatch]> = [
    ["email", { email: "ann" }],
    ["email", { email: "ann@" }],
    ["email", { email: "a b@example.com" }],
    ["email", { email: "ann@example..com" }],
    ["email", { email: "ann@example.com." }],
    ["email", { email: `${"a".repeat(250)}@example.com` }],
    ["name", { name: "two\nlines" }],
    ["timezone", { timezone: "Mars/Olympus" }],
    ["timezone", { timezone: "" }],
    ["default_thing_type", { defaultThingType: "task" }],
    ["default_list_sort", { defaultListSort: "random" }],
    ["default_reminder_minutes", { defaultReminderMinutes: -1 }],
    ["default_reminder_minutes", { defaultReminderMinutes: 1.5 }],
    ["default_alert_minutes", { defaultAlertMinutes: 525_601 }],
    ["default_reminder_color", { defaultReminderColor: "red" }]
  ]
  for (const [field, patch] of wrong) {
    test(`refuse ${JSON.stringify(patch).slice(0, 60)}`, (accounts) =>
      Effect.gen(function* () {
        const made = yield* failureOf(accounts.create({ email: "ann@example.com", ...patch } as NewAccount))
        assert.deepInclude(made, { _tag: "InvalidInput", field })
        yield* accounts.create({ email: "ann@example.com" })
        assert.deepInclude(yield* failureOf(accounts.update("ann@example.com", patch)), { _tag: "InvalidInput", field })
      }))
  }

  test("go with a removal", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.create({ email: "bob@example.com" })
      assert.deepStrictEqual(yield* accounts.remove("ann@example.com"), ann)
      assert.deepStrictEqual(
        (yield* accounts.list).map((account) => account.email),
        ["bob@example.com"]
      )
      assert.deepInclude(yield* failureOf(accounts.remove(ann.id)), { _tag: "NotFound" })
    }))

  test("sign in with their password only", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.create({ email: "bob@example.com" })
      const password = Redacted.make("correct horse")
      assert.deepInclude(yield* failureOf(accounts.setPassword(ann.id, Redacted.make("short"))), { field: "password" })
      yield* accounts.setPassword(ann.id, password)
      assert.deepStrictEqual(yield* accounts.signIn("ANN@example.com", password), ann)
      for (const [email, given] of [
        ["ann@example.com", Redacted.make("Correct horse")],
        ["bob@example.com", password],
        ["carl@example.com", password]
      ] as const) {
        assert.deepInclude(yield* failureOf(accounts.signIn(email, given)), { _tag: "Unauthorized" })
      }
    }))

  test("have one feed address until it is rotated, kept apart from the password", (accounts) =>
    Effect.gen(function* () {
      const ann = yield* accounts.create({ email: "ann@example.com" })
      yield* accounts.setPassword(ann.id, Redacted.make("correct horse"))
      const first = yield* accounts.feedToken(ann.id)
      assert.match(first, /^[0-9A-Za-z]{43}$/)
      assert.strictEqual(yield* accounts.feedToken("ann@example.com"), first)
      assert.deepStrictEqual(yield* accounts.byFeedToken(first), ann)
      const second = yield* accounts.rotateFeedToken(ann.id)
      assert.deepInclude(yield* failureOf(accounts.byFeedToken(first)), { _tag: "Unauthorized" })
      assert.deepStrictEqual(yield* accounts.byFeedToken(second), ann)
      yield* accounts.signIn("ann@example.com", Redacted.make("correct horse"))
    }))
})
