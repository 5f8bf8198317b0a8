import { askFirstPassword } from "@lists-and-things/cli/commands/setup/FirstPassword"
import { connectingCommand, dataLocation, isShared, signingInAs } from "@lists-and-things/cli/commands/setup/SetupFacts"
import { keyLines, type Line, setupText, zoneText } from "@lists-and-things/cli/commands/setup/SetupText"
import { askHidden } from "@lists-and-things/cli/Questions"
import { Accounts, feedUrl } from "@lists-and-things/domain/caller/Accounts"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { FirstStart } from "@lists-and-things/domain/servers/FirstStart"
import { startText } from "@lists-and-things/http/StartText"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import { dataDir, storage } from "@lists-and-things/settings/Settings"
import { Effect } from "effect"
import { constants, readFileSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { isWorker } from "./Workers.ts"
import { programs } from "./OwnPrograms.ts"

/** Writes the key to a new file: replaces an existing one, and does not follow a symbolic link. */
const writeKey = async (path: string, token: string): Promise<void> => {
  await rm(path, { force: true })
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await handle.writeFile(`${token}\n`)
  } finally {
    await handle.close()
  }
}

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/**
 * Lines about the first key. On a terminal, or with the memory adapter, they show the key, which in memory is worthless
 * after the process. Otherwise they name a file that only its owner can read, since journals and container logs keep
 * standard output.
 */
export const firstKeyLines = Effect.fnUntraced(function* (siteUrl: string, { account, token }: FirstStart) {
  if (process.stdout.isTTY || (yield* storage.config) === "memory") return keyLines(siteUrl, { token, path: undefined })
  const path = join(yield* dataDir.config, "first-key")
  const written = yield* Effect.result(Effect.tryPromise(() => writeKey(path, token)))
  if (written._tag === "Success") return keyLines(siteUrl, { token, path })
  yield* Effect.logError(
    `The first key cannot be written to ${path}: make another one with '${lat(`key create --account ${account.email}`)}'`
  )
  return []
})

/** Whether a person can be asked: on a terminal, in the foreground, since a background job must not read from it. */
const canAsk = (): boolean => {
  if (isWorker || !process.stdin.isTTY || !process.stdout.isTTY || process.platform === "win32") return false
  try {
    // After the process name, which may contain blanks: state, parent, group, session, terminal, foreground group.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)!.split(" ")
    return fields[2] === fields[5]
  } catch {
    return process.platform === "darwin"
  }
}

/**
 * Prints the address of the server and what a person needs after the first start, in one piece. Then asks for a
 * password if possible; otherwise, or if the person declines, there is a link. `key` are the lines about the first key.
 */
export const printFirstStart = Effect.fnUntraced(function* (
  siteUrl: string,
  first: FirstStart,
  key: ReadonlyArray<Line>
) {
  const { account } = first
  const asks = canAsk()
  const feedToken = yield* (yield* Accounts).feedToken(account.id)
  const shared = yield* isShared
  const text = setupText({
    siteUrl,
    isShared: shared,
    signingIn: asks ? { _tag: "Asked" } : yield* signingInAs(siteUrl, account),
    assistant: yield* connectingCommand(programs, siteUrl),
    feed: process.stdout.isTTY || !shared ? feedUrl(siteUrl, feedToken) : lat(`account feed ${account.email}`),
    key,
    data: yield* dataLocation,
    run: stopping()
  })
  yield* print(`${startText(siteUrl)}\n${zoneText(account.email, account.timezone, shared)}${text}\n`)
  if (!asks) return
  yield* Effect.forkScoped(setFirstPassword(siteUrl, first))
})

const stopping = (): Line => [
  "Stop",
  process.stdin.isTTY ? "Ctrl-C" : `kill ${process.pid}, or end the service that runs it`
]

const setFirstPassword = Effect.fnUntraced(
  function* (siteUrl: string, { account }: FirstStart) {
    const ask = (question: string) => askHidden(question, process.stdin, process.stdout)
    const isSet = yield* askFirstPassword({ ask, say: (text) => void process.stdout.write(text) }, account.email)
    const signingIn = yield* signingInAs(siteUrl, account)
    const link = signingIn._tag === "Link" ? `Choose a password there, within an hour: ${signingIn.url}` : ""
    yield* print(isSet ? `Sign in as ${account.email}: ${siteUrl}\n` : `${link}\n`)
  },
  Effect.provide(NodePasswordHasher.layer),
  Effect.catch((error) => Effect.logError(error))
)
