import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { Operator } from "@lists-and-things/domain/model/CurrentOperation"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { nearestOf } from "@lists-and-things/domain/text/Nearest"
import { Effect } from "effect"
import { Failure, UsageError } from "./Failure.ts"
import type { Input } from "./Input.ts"

type Finding = Effect.Effect<Account, Failure | StorageUnavailable, Accounts>

/** Finds an account by id or email; the failure suggests the nearest matches. */
export const findAccount = (ref: string): Finding =>
  Effect.flatMap(Accounts, (accounts) =>
    Effect.catchTag(accounts.get(ref), "NotFound", () =>
      Effect.flatMap(accounts.list, (all) => Effect.fail(unknownAccount(ref, all)))
    )
  )

/** The account given by `--account`, or the only one that exists. */
export const ownerOf = (input: Input): Effect.Effect<Account, Failure | UsageError | StorageUnavailable, Accounts> =>
  Effect.suspend(() => {
    const ref = input.option("account")
    return ref === undefined
      ? Effect.flatMap(Accounts, (accounts) => Effect.flatMap(accounts.list, onlyOne))
      : findAccount(ref)
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

const onlyOne = (all: ReadonlyArray<Account>): Effect.Effect<Account, Failure | UsageError> => {
  const [only, ...others] = all
  if (only !== undefined && others.length === 0) return Effect.succeed(only)
  return Effect.fail(
    only === undefined ? noAccount() : new UsageError("--account is needed: there are several accounts")
  )
}

const unknownAccount = (ref: string, all: ReadonlyArray<Account>): Failure => {
  if (all.length === 0) return noAccount()
  const near = nearestOf(
    ref,
    all.map((account) => (ref.includes("@") ? account.email : account.id)),
    3
  )
  const hint = near.length === 0 ? "'lat account list' shows all accounts." : `Did you mean ${near.join(" or ")}?`
  return new Failure(`No account has the id or email '${ref}'.`, hint)
}

const noAccount = () => new Failure("There is no account yet.", "Make one: lat account create --email you@example.com")
