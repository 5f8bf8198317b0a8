import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { nearestOf } from "@lists-and-things/domain/json/Nearest"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { Failure } from "../../Failure.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const id = input.argument("KEY_ID").replace(/^lat_([0-9A-Za-z]{12})(_.*)?$/, "$1")
    yield* Effect.catchTag(keys.revoke(id), "NotFound", () =>
      Effect.flatMap(keys.list(), (all) =>
        Effect.fail(
          unknownKey(
            all.map((key) => key.id),
            id
          )
        )
      )
    )
    return { json: { id, revoked: true }, text: `Key ${id} is revoked: requests with it are refused from now on.` }
  })

const unknownKey = (ids: ReadonlyArray<string>, id: string): Failure => {
  const near = nearestOf(id, ids, 2)
  return new Failure(
    "No key has this id.",
    near.length === 0 ? "'lat key list' shows all keys." : `Did you mean ${near.join(" or ")}?`
  )
}
