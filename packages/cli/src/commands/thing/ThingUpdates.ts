import type { Account } from "@lists-and-things/domain/caller/Account"
import type { BulkSetInput } from "@lists-and-things/domain/json/ThingInput"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { Effect } from "effect"
import { Failure } from "../../Failure.ts"
import type { Input } from "../../Input.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

/** Changes the named things together; a failure when none of them is there. */
export const updateThings = (input: Input, set: BulkSetInput) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const ids = input.arguments("ID")
    const result = yield* onBehalfOf(account)((yield* BulkThings).update({ ids, set }))
    if (result.updated === 0) return yield* noSuchThing(account, ids)
    return result
  })

/** Fails for ids of which none is a thing's; of a single one the domain says what it is instead. */
export const noSuchThing = (account: Account, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [only, ...others] = ids
    if (only !== undefined && others.length === 0) yield* onBehalfOf(account)((yield* Things).get(only))
    return yield* Effect.fail(
      new Failure("No thing has any of these ids.", "'lat list show LIST --ids' shows the ids of a list.")
    )
  })
