import { Accounts, feedUrl } from "@lists-and-things/domain/caller/Accounts"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { Account } from "@lists-and-things/domain/model/Account"
import { port as portSetting } from "@lists-and-things/settings/Settings"
import { findSiteUrl } from "@lists-and-things/settings/SiteUrl"
import { Effect } from "effect"
import { join } from "node:path"
import type { LocalRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import type { Input } from "../../Input.ts"
import type { Installation } from "../../Installation.ts"
import { namedAccount } from "../../Owner.ts"
import { runOver } from "../../StorageRunner.ts"
import type { Answer } from "../../Output.ts"
import { connectAssistant } from "./ConnectAssistant.ts"
import { askFirstPassword } from "./FirstPassword.ts"
import { connectingCommand, dataLocation, optionsFor, signingInAs } from "./SetupFacts.ts"
import { writeLauncher } from "./Launcher.ts"
import { type Programs, shellQuoted } from "./Programs.ts"
import { type Line, setupText, type SigningIn } from "./SetupText.ts"

export const run: LocalRun = async (input, installation) => {
  const assistant = input.option("assistant")
  if (assistant !== undefined && input.switch("launcher"))
    throw new UsageError("--assistant and --launcher are two steps: one at a time")
  if (assistant !== undefined) return connectAssistant(assistant, input, installation)
  if (input.switch("launcher")) return writeLauncher(input, installation)
  if (input.switch("dry-run")) throw new UsageError("--dry-run goes with --assistant or --launcher")
  return runOver(installation, overview(input, installation))
}

const overview = Effect.fnUntraced(function* (input: Input, { programs }: Installation) {
  const site = yield* findSiteUrl
  const named = yield* namedAccount(input)
  const found = yield* (yield* Accounts).list
  const account = named ?? (found.length === 1 ? found[0] : undefined)
  const several = found.length > 1 ? (account?.email ?? "EMAIL") : undefined
  if (account !== undefined) yield* offerPassword(input, account)
  const signingIn = account === undefined ? yield* withoutSingleAccount(found) : yield* signingInAs(site.url, account)
  const assistant = yield* connectingCommand(programs, site.url, optionsFor(named?.email ?? several))
  const feed = account === undefined ? undefined : yield* feedOf(site.url, account)
  const data = yield* dataLocation
  const isRunning = site.assumed === undefined
  const text = setupText({
    isShared: true,
    siteUrl: site.url,
    signingIn,
    ...(several !== undefined && { account: several }),
    assistant,
    feed: feed ?? lat("account feed EMAIL"),
    data,
    run: isRunning ? stopping : ["Start", startCommand(programs, site.url)]
  })
  const json = {
    url: site.url,
    email: account?.email ?? null,
    link: signingIn._tag === "Link" ? signingIn.url : null,
    accounts_without_password: signingIn._tag === "Several" ? signingIn.without : [],
    assistant,
    feed: feed ?? null,
    data
  }
  return {
    json,
    text: `Lists and Things ${isRunning ? "answers" : "is not running; started, it answers"} at ${site.url}\n\n${text}`,
    ...(json.link !== null && { quiet: json.link }),
    ...(site.assumed !== undefined && { remark: site.assumed })
  } satisfies Answer
})

const stopping: Line = ["Stop", "Ctrl-C in its terminal, or end the service that runs it"]

/** Starts the server on the port that it had before. */
const startCommand = ({ isCheckout, node, root }: Programs, siteUrl: string): string => {
  const port = /^http:\/\/localhost:(\d+)$/.exec(siteUrl)?.[1] ?? usualPort
  const command = isCheckout
    ? `npm --prefix ${shellQuoted(root)} start`
    : `${shellQuoted(node)} ${shellQuoted(join(root, "bin", "lat-http.mjs"))}`
  return port === usualPort ? command : `PORT=${port} ${command}`
}

const usualPort = portSetting.otherwise

/** Asks for a password on a terminal where the account has none. */
const offerPassword = Effect.fnUntraced(function* ({ mode, terminal }: Input, { email, id }: Account) {
  if (!terminal.canAsk || mode.json || mode.quiet || (yield* (yield* Accounts).hasPassword(id))) return
  yield* askFirstPassword({ ask: terminal.askHidden, say: terminal.err }, email)
})

const withoutSingleAccount = Effect.fnUntraced(function* (all: ReadonlyArray<Account>) {
  if (all.length === 0) return { _tag: "NoAccount" } satisfies SigningIn
  const accounts = yield* Accounts
  const without = yield* Effect.filter(all, ({ id }) => Effect.map(accounts.hasPassword(id), (has) => !has))
  return { _tag: "Several", without: without.map(({ email }) => email) } satisfies SigningIn
})

const feedOf = Effect.fnUntraced(function* (siteUrl: string, { id }: Account) {
  return feedUrl(siteUrl, yield* (yield* Accounts).feedToken(id))
})
