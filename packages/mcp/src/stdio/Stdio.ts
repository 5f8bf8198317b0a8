import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Context, Effect, Schema } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ownerBy } from "@lists-and-things/domain/model/Caller"
import { Operator } from "@lists-and-things/domain/model/CurrentOperation"
import { Unauthorized } from "@lists-and-things/domain/model/Errors"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import { Announcer } from "./Announcer.ts"
import { AnsweringTransport } from "./AnsweringTransport.ts"
import { Authenticator, type Session } from "../Authenticator.ts"
import { serverFactory } from "../Server.ts"
import type { Tool, ToolServices } from "../Tool.ts"

/** `lat-mcp` cannot determine its account; the message says how to name one. */
class NoAccount extends Schema.TaggedError<NoAccount>()("NoAccount", { message: Schema.String }) {}

export interface StdioIdentity {
  /** `LAT_API_KEY`. */
  readonly apiKey: string | undefined
  /** `--account`: an id or an email. */
  readonly account: string | undefined
  /** Whether the user of this process owns the data anyway: an embedded or in-memory database. */
  readonly ownsData: boolean
}

/**
 * Over stdio the process acts for one account: with a key, as that key; without one, on the user's own data, as the
 * named or only account, with all scopes and no limit, as its operator.
 */
export const stdioSession = Effect.fnUntraced(function* (identity: StdioIdentity) {
  const authenticator = yield* Authenticator
  if (identity.apiKey !== undefined && identity.apiKey !== "") {
    const session = keySession(authenticator, identity.apiKey)
    yield* session.identify.pipe(
      Effect.catchTag("Unauthorized", () =>
        Effect.fail(
          new NoAccount({ message: `LAT_API_KEY is not a valid API key. Make one with: ${lat("key create")}` })
        )
      )
    )
    return session
  }
  if (!identity.ownsData) {
    return yield* new NoAccount({ message: `Set LAT_API_KEY to an API key. Make one with: ${lat("key create")}` })
  }
  return yield* accountSession(identity.account)
})

const keySession = (authenticator: Authenticator["Service"], key: string): Session => ({
  kind: "key",
  identify: authenticator.identify(key),
  admit: (required) => Effect.map(authenticator.admit(key, required), ({ caller }) => caller),
  deferAdmission: (required) => authenticator.deferAdmission(key, required)
})

const accountSession = Effect.fnUntraced(function* (ref: string | undefined) {
  const accounts = yield* Accounts
  const { id } = yield* ref === undefined
    ? onlyAccount
    : accounts
        .get(ref)
        .pipe(Effect.catchTag("NotFound", () => Effect.fail(new NoAccount({ message: `No account is ${ref}.` }))))
  const operator = yield* Operator
  // Read per call: the account's time zone may change while the process runs.
  const identify = accounts.get(id).pipe(
    Effect.map((account) => ownerBy(account, operator)),
    Effect.catchTag("NotFound", () => Effect.fail(new Unauthorized()))
  )
  const session: Session = { kind: "key", identify, admit: () => identify }
  return session
})

const maxAccounts = 10

const emailsOf = (all: ReadonlyArray<Account>): string => {
  const emails = all.slice(0, maxAccounts).map(({ email }) => email)
  return [...emails, ...(all.length > maxAccounts ? [`${all.length - maxAccounts} more`] : [])].join(", ")
}

const onlyAccount = Effect.gen(function* () {
  const accounts = yield* Accounts
  const [first, ...others] = yield* accounts.list
  if (first !== undefined && others.length === 0) return first
  return yield* new NoAccount({
    message:
      first === undefined
        ? `There is no account yet. Make one with: ${createFirstAccount()}`
        : `There are several accounts: name one with --account EMAIL or LAT_ACCOUNT, or set LAT_API_KEY. They are ${emailsOf([first, ...others])}.`
  })
})

/** Serves until the client closes its end, then answers pending requests. Nothing else may write to stdout. */
export const serve = Effect.fnUntraced(function* (tools: ReadonlyArray<Tool>, session: Session) {
  const services = yield* Effect.context<ToolServices | ListChanges>()
  const announcer = new Announcer(session, services)
  const factory = serverFactory(tools, services, () => session, announcer)
  yield* Effect.callback<void>((resume) => {
    const transport = new AnsweringTransport(
      process.stdin,
      () => resume(Effect.void),
      () => announcer.begin()
    )
    const handle = serveStdio(factory, {
      transport,
      onerror: (error) => Effect.runForkWith(services as Context.Context<never>)(Effect.logWarning(error.message))
    })
    return Effect.promise(() => handle.close())
  }).pipe(Effect.ensuring(Effect.sync(() => announcer.close())))
})
