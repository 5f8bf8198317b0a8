import { Context, Effect, Layer } from "effect"
import type { InvalidInput, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId } from "../model/Ids.ts"
import { ListStore } from "../ports/ListStore.ts"
import { type Sizes, SizeStore } from "../ports/SizeStore.ts"
import { nothing, plus, type Size } from "../model/Size.ts"
import { truncate } from "../text/Characters.ts"
import { fitsWithin, overLimit, SizeLimits } from "./SizeLimits.ts"
import { traced } from "../scheduling/Traced.ts"

/** Checks whether a write fits into its lists and its account. */
export class Capacity extends Context.Service<
  Capacity,
  {
    /**
     * `InvalidInput` names the limit and the current size. `growth` is that of the whole write, per list, before any of
     * it is stored. `known` are sizes that the write has read already. Inside `Storage.transact`.
     */
    readonly admit: (
      owner: AccountId,
      growth: ReadonlyMap<ListId, Size>,
      known?: Sizes
    ) => Effect.Effect<void, InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/size/Capacity") {
  static readonly layer = Layer.effect(
    Capacity,
    Effect.gen(function* () {
      const store = yield* SizeStore
      const lists = yield* ListStore
      const limits = yield* SizeLimits

      /** Read only for the message of a refusal. */
      const nameOf = (owner: AccountId, id: ListId) =>
        Effect.map(
          lists.get(owner, id),
          (list) => `The list ${JSON.stringify(truncate(list?.title ?? "", 80))} (${id})`
        )

      const admit = traced("Capacity.admit")(function* (
        owner: AccountId,
        growth: ReadonlyMap<ListId, Size>,
        known?: Sizes
      ) {
        const growing = [...growth].filter(([, size]) => grows(size))
        if (growing.length === 0) return
        const ids = growing.map(([id]) => id)
        const there =
          known !== undefined && ids.every((id) => known.lists.has(id)) ? known : yield* store.sizes(owner, ids)
        for (const [id, size] of growing) {
          const present = there.lists.get(id) ?? nothing
          if (fitsWithin(limits.list, present, size)) continue
          const refusal = overLimit(yield* nameOf(owner, id), limits.list, present, size)
          if (refusal !== undefined) return yield* refusal
        }
        const refusal = overLimit(
          "This account",
          limits.account,
          there.account,
          [...growth.values()].reduce(plus, nothing)
        )
        if (refusal !== undefined) return yield* refusal
      })

      return Capacity.of({ admit })
    })
  )
}

const grows = ({ bytes, things }: Size): boolean => things > 0 || bytes > 0
