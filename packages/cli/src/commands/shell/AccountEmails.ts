import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect } from "effect"
import type { Installation } from "../../Installation.ts"
import { runOver } from "../../StorageRunner.ts"

export const accountEmails = (installation: Installation): Promise<ReadonlyArray<string>> =>
  runOver(
    installation,
    Effect.flatMap(Accounts, ({ list }) => Effect.map(list, (all) => all.map(({ email }) => email)))
  )
