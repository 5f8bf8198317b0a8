import { Effect } from "effect"
import { NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { isStorable } from "../text/Characters.ts"
import type { AccountStore } from "../ports/AccountStore.ts"
import type { Account } from "../model/Account.ts"
import { shownId } from "../targets/UnknownId.ts"
import { canBeEmail } from "./Credentials.ts"

/** The account with this id or email, as an operator writes it. */
export const accountOf = (
  store: AccountStore["Service"],
  ref: string
): Effect.Effect<Account, NotFound | StorageUnavailable> =>
  Effect.flatMap(found(store, ref.trim()), (account) =>
    account === undefined
      ? Effect.fail(new NotFound({ message: `No account has the id or email ${shownId(ref.trim())}.` }))
      : Effect.succeed(account)
  )

const found = (store: AccountStore["Service"], ref: string) => {
  if (!canBeEmail(ref)) return Effect.succeed(undefined)
  if (!ref.includes("@")) return store.get(ref)
  return isStorable(ref) ? store.byEmail(ref) : Effect.succeed(undefined)
}
