import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { Operator } from "@lists-and-things/domain/model/CurrentOperation"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { nearestOf } from "@lists-and-things/domain/text/Nearest"
import * as Settings from "@lists-and-things/settings/Settings"
import { type Config, Effect } from "effect"
import { shellQuoted } from "./commands/setup/Programs.ts"
import { Failure, UsageError } from "./Failure.ts"
import type { Input } from "./Input.ts"

type Finding = Effect.Effect<Account, Failure | StorageUnavailable, Accounts>

/** Finds an account by id or email; the failure suggests the nearest matches, or lists the accounts. */
export const findAccount = (ref: string): Finding => findNamed(ref, "")

/** `origin` prefixes the message if the name does not come from the command line. */
const findNamed = (ref: string, origin: string): Finding =>
  Effect.flatMap(Accounts, (accounts) =>
    Effect.catchTag(accounts.get(ref), "NotFound", () =>
      Effect.flatMap(accounts.list, (all) => Effect.fail(unknownAccount(ref, origin, all)))
    )
  )

/** The account given by `--account` or an argument, else by `LAT_ACCOUNT`, else the only one that exists. */
export const ownerOf = (
  input: Input
): Effect.Effect<Account, Failure | UsageError | Config.ConfigError | StorageUnavailable, Accounts> =>
  Effect.gen(function* () {
    return (
      (yield* namedAccount(input)) ??
      (yield* onlyOne(yield* (yield* Accounts).list, input.takes("ACCOUNT") ? byArgument : byOption))
    )
  })

/** The account that the argument names. Has no default, since its callers do what cannot be undone. */
export const accountByName = (
  input: Input
): Effect.Effect<Account, Failure | UsageError | StorageUnavailable, Accounts> =>
  Effect.gen(function* () {
    const named = input.argument("ACCOUNT")
    if (named !== "") return yield* findAccount(named)
    const all = yield* (yield* Accounts).list
    return yield* Effect.fail(
      all.length === 0 ? noAccount() : new UsageError(`${missing}: name one of these`, accountLines(all).join("\n"))
    )
  })

/** The account given by `--account` or an argument, else by `LAT_ACCOUNT`; undefined where none is. */
export const namedAccount = (
  input: Input
): Effect.Effect<Account | undefined, Failure | Config.ConfigError | StorageUnavailable, Accounts> =>
  Effect.gen(function* () {
    const named = input.option("account") ?? input.argument("ACCOUNT")
    if (named !== "") return yield* findAccount(named)
    const preset = yield* Settings.accountName.config
    return preset === undefined ? undefined : yield* findNamed(preset, `${Settings.accountName.name}: `)
  })

/** The emails of all accounts. */
export const accountEmails: Effect.Effect<ReadonlyArray<string>, StorageUnavailable, Accounts> = Effect.flatMap(
  Accounts,
  ({ list }) => Effect.map(list, (all) => all.map(({ email }) => email))
)

/** Runs use cases on behalf of an account, with every scope, as the operator. */
export const onBehalfOf =
  (account: Account) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Caller>> =>
    Effect.flatMap(Operator, (by) => Effect.provideService(effect, Caller, ownerBy(account, by)))

const missing = "missing required argument 'ACCOUNT'"

/** How a command line names an account: the error if it is missing, and its words with the account. */
interface Naming {
  readonly needed: string
  readonly named: (words: ReadonlyArray<string>, email: string) => ReadonlyArray<string>
}

const byOption: Naming = {
  needed: "--account is needed",
  named: (words, email) => {
    // No option is read behind `--`.
    const end = words.includes("--") ? words.indexOf("--") : words.length
    return [...words.slice(0, end), "--account", email, ...words.slice(end)]
  }
}

const byArgument: Naming = { needed: missing, named: (words, email) => [...words, email] }

const onlyOne = (all: ReadonlyArray<Account>, naming: Naming): Effect.Effect<Account, Failure | UsageError> => {
  const [only, ...others] = all
  if (only !== undefined && others.length === 0) return Effect.succeed(only)
  return Effect.fail(
    only === undefined
      ? noAccount()
      : new UsageError(`${naming.needed}: there are several accounts`, (words) =>
          [
            ...accountLines(all),
            `For example: ${lat(naming.named(words, only.email).map(shellQuoted).join(" "))}`,
            `Or, for all that follows: export ${Settings.accountName.name}=${only.email}`
          ].join("\n")
        )
  )
}

const unknownAccount = (ref: string, origin: string, all: ReadonlyArray<Account>): Failure => {
  if (all.length === 0) return noAccount()
  const near = nearestOf(
    ref,
    all.map((account) => (ref.includes("@") ? account.email : account.id)),
    3
  )
  const hint = near.length === 0 ? accountLines(all).join("\n") : `Did you mean ${near.join(" or ")}?`
  return new Failure(`${origin}No account has the id or email '${ref}'.`, hint)
}

const maxAccounts = 10

const accountLines = (all: ReadonlyArray<Account>): ReadonlyArray<string> => [
  ...all.slice(0, maxAccounts).map(({ email, id }) => `  ${id}  ${email}`),
  ...(all.length > maxAccounts ? [`  and ${all.length - maxAccounts} more: ${lat("account list")}`] : [])
]

const noAccount = () => new Failure("There is no account yet.", `Make one: ${createFirstAccount()}`)
