import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Effect } from "effect"
import { at, key, newAccount, type Plain } from "./Fixtures.ts"

/** A stored key of a new account, and requests under it: one, or so many at once, at a time. */
export const newKey = Effect.fnUntraced(function* (overrides: Partial<Plain<ApiKey>> = {}) {
  const account = yield* newAccount()
  const made = key(account.id, overrides)
  const keys = yield* KeyStore
  yield* keys.insert(made)
  const admit = (now: number) => at(now)(keys.admit(made.id, made.secretHash))
  const admitTimes = (requests: number, now: number) =>
    Effect.forEach(Array.from({ length: requests }), () => admit(now), { concurrency: "unbounded" })
  return { account, made, keys, admit, admitTimes }
})
