import { Context, Effect, Layer } from "effect"
import { Caller, callerWith } from "../model/Caller.ts"
import type { AccessError } from "../model/Errors.ts"
import { type TagCount, ThingStore } from "../ports/ThingStore.ts"
import { tagColor } from "../text/TagNames.ts"
import { inSpan } from "../scheduling/Traced.ts"
import { mapYielding } from "../scheduling/Yielding.ts"

/** The contract's tag entry; `color` is `#rrggbb`. */
export interface Tag extends TagCount {
  readonly color: string
}

/** The tags of an account (docs/contract.md#search-fetch-tags). */
export class Tags extends Context.Service<
  Tags,
  {
    /** By count descending, then name. */
    readonly list: Effect.Effect<ReadonlyArray<Tag>, AccessError, Caller>
  }
>()("@lists-and-things/domain/tags/Tags") {
  static readonly layer = Layer.effect(
    Tags,
    Effect.gen(function* () {
      const things = yield* ThingStore
      const list = Effect.gen(function* () {
        const { account } = yield* callerWith("read:things")
        const counts = yield* things.tagCounts(account.id)
        return yield* mapYielding(counts, (tag) => ({ ...tag, color: tagColor(tag.name) }))
      }).pipe(inSpan("Tags.list"))
      return Tags.of({ list })
    })
  )
}
