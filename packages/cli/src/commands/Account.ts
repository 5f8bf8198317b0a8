import { counted } from "@lists-and-things/domain/text/Wording"
import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"
import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import { movedReminders } from "@lists-and-things/domain/summaries/OperationSummaries"
import { Accounts, feedUrl } from "@lists-and-things/domain/caller/Accounts"
import { PasswordLinks, passwordLinkUrl } from "@lists-and-things/domain/caller/PasswordLinks"
import { type AccountJson, accountJson } from "@lists-and-things/domain/json/AccountJson"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { findSiteUrl } from "@lists-and-things/settings/SiteUrl"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { readPassword } from "../Password.ts"
import { confirm } from "../StandardInput.ts"
import { UsageError } from "../Failure.ts"
import { definedFields, type Input } from "../Input.ts"
import { facts } from "../Table.ts"
import { accountByName, ownerOf } from "../Owner.ts"
import type { Terminal } from "../Terminal.ts"

export const create: StorageRun = (input) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const account = yield* accounts.create({ ...settingsOf(input), email: input.option("email") ?? "" })
    const json = accountJson(account)
    return {
      json,
      text: accountText(input.terminal, json),
      quiet: account.id,
      remark: [
        `Next, a link to choose its password with: ${lat(`account link ${account.email}`)}`,
        `For programs, a key: ${lat(`key create --account ${account.email}`)}`
      ].join("\n")
    }
  })

export const list: StorageRun = () =>
  Effect.map(
    Effect.flatMap(Accounts, (accounts) => accounts.list),
    (accounts) => ({
      json: accounts.map(accountJson),
      text: {
        heads: ["ID", "EMAIL", "NAME", "TIME ZONE"],
        rows: accounts.map((account) => [account.id, account.email, account.name, account.timezone]),
        none: `No account yet. Make one: ${createFirstAccount()}`
      },
      quiet: accounts.map((account) => account.id).join("\n")
    })
  )

export const show: StorageRun = (input) =>
  Effect.map(ownerOf(input), (account) => {
    const json = accountJson(account)
    return { json, text: accountText(input.terminal, json), quiet: account.id }
  })

export const set: StorageRun = (input) =>
  Effect.gen(function* () {
    const patch = settingsOf(input)
    const withPassword = input.switch("password-stdin")
    if (Object.keys(patch).length === 0 && !withPassword) {
      return yield* Effect.fail(new UsageError("name at least one setting, such as --timezone Europe/Berlin"))
    }
    const password = withPassword ? yield* readPassword(input.terminal) : undefined
    const accounts = yield* Accounts
    const { id } = yield* ownerOf(input)
    // The password comes last: a refused setting leaves it as it was.
    const { account, remindersMoved } = yield* accounts.update(id, patch)
    if (password !== undefined) yield* accounts.setPassword(id, password)
    const json = accountJson(account)
    const text = accountText(input.terminal, json)
    return { json, text: remindersMoved === 0 ? text : `${text}\n${movedReminders(remindersMoved)}`, quiet: account.id }
  })

export const feed: StorageRun = (input) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { id } = yield* ownerOf(input)
    const token = yield* input.switch("rotate") ? accounts.rotateFeedToken(id) : accounts.feedToken(id)
    const site = yield* findSiteUrl
    const url = feedUrl(site.url, token)
    const secret = "Keep it secret: whoever has it can read the reminders."
    return { json: { url }, text: url, quiet: url, remark: [secret, site.assumed].filter(Boolean).join("\n") }
  })

const newLink = Effect.fnUntraced(function* (id: string) {
  const { expires, secret } = yield* (yield* PasswordLinks).create(id)
  const site = yield* findSiteUrl
  return { url: passwordLinkUrl(site.url, secret), expires, assumed: site.assumed }
})

export const link: StorageRun = (input) =>
  Effect.gen(function* () {
    const { email, id } = yield* ownerOf(input)
    const { assumed, expires, url } = yield* newLink(id)
    const use = `It works once, within an hour. A password of ${email} stays valid until the link is used.`
    return {
      json: { account: id, link: url, expires: formatTime(expires) },
      text: url,
      quiet: url,
      remark: [use, assumed].filter(Boolean).join("\n")
    }
  })

export const revoke: StorageRun = (input) =>
  Effect.gen(function* () {
    const { id, email } = yield* accountByName(input)
    yield* confirm(input, `Ending every key, program, sign-in and the password of ${email}`)
    const { grants, keys } = yield* (yield* Accounts).revokeAccess(id)
    const { assumed, url } = yield* newLink(id)
    return {
      json: { account: id, revoked: { keys, programs: grants }, link: url },
      text: [
        `Nothing opens ${email} any more: ended ${counted(keys, "key")}, ${counted(grants, "connected program")}, every browser, the password and the calendar's address.`,
        `Choose a new password: ${url}`,
        `It works once, within an hour. Then a key for each program: ${lat(`key create --account ${email}`)}`
      ].join("\n"),
      quiet: url,
      ...(assumed !== undefined && { remark: assumed })
    }
  })

export const remove: StorageRun = (input) =>
  Effect.gen(function* () {
    const { id, email } = yield* accountByName(input)
    yield* confirm(input, `Deleting ${email} with all lists, things, reminders and keys`)
    input.progress.begin("Deleting")
    yield* (yield* Accounts).remove(id)
    return { json: { deleted: id }, text: `Deleted ${email} (${id}) with everything it owned.` }
  })

/** The settings given on the command line. */
export const settingsOf = (input: Input): AccountPatch => {
  return definedFields({
    email: input.option("email"),
    name: input.option("name"),
    timezone: input.option("timezone"),
    defaultThingType: input.option("default-thing-type"),
    defaultListSort: input.option("default-list-sort"),
    defaultReminderMinutes: input.wholeNumber("default-reminder-minutes"),
    defaultAlertMinutes: input.wholeNumber("default-alert-minutes"),
    defaultReminderColor: input.option("default-reminder-color"),
    repeatMovesToDay: input.boolean("repeat-moves-to-day"),
    allDayAt: input.option("all-day-at")
  })
}

const accountText = (terminal: Terminal, account: AccountJson): string =>
  facts(
    terminal,
    Object.entries(account).map(([name, value]) => [name, value === "" ? "-" : String(value)])
  )
