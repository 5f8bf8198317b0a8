import type { BulkSetInput } from "@lists-and-things/domain/json/ThingInput"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
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
    if (result.updated === 0) return yield* Effect.fail(noSuchThing(ids.length))
    return result
  })

export const noSuchThing = (asked: number): Failure =>
  new Failure(
    asked === 1 ? "No thing has this id." : "No thing has any of these ids.",
    "'lat list show LIST --ids' shows the ids of a list."
  )
