import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect } from "effect"
import type { Installation } from "../../Installation.ts"

export const accountEmails = async (installation: Installation): Promise<ReadonlyArray<string>> => {
  const emails = Effect.flatMap(Accounts, ({ list }) => Effect.map(list, (all) => all.map(({ email }) => email)))
  return Effect.runPromise(Effect.provide(emails, await installation.services()))
}
