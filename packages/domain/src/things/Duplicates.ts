import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import type { Placed } from "./Insertion.ts"

/**
 * `skip_duplicates` (docs/decisions.md#things): equal by url when there is one, else by trimmed text. A thing with neither (a
 * photo, a link to a list) equals no other.
 */
export class Duplicates extends Context.Service<
  Duplicates,
  {
    /** The items that duplicate neither a thing in their list nor an earlier item for it. */
    readonly without: (
      owner: AccountId,
      items: ReadonlyArray<Placed>
    ) => Effect.Effect<ReadonlyArray<Placed>, StorageUnavailable>
  }
>()("@lists-and-things/domain/things/Duplicates") {
  static readonly layer = Layer.effect(
    Duplicates,
    Effect.gen(function* () {
      const things = yield* ThingStore

      const without = Effect.fn("Duplicates.without")(function* (owner: AccountId, items: ReadonlyArray<Placed>) {
        const kept: Array<Placed> = []
        const dropped = new Set<Placed>()
        for (const [listId, group] of Map.groupBy(items, (item) => item.list.id)) {
          const there = yield* things.duplicates(owner, listId, {
            urls: group.flatMap((item) => item.draft.content.url || []),
            texts: group.flatMap((item) => (item.draft.content.url === "" ? item.draft.content.text.trim() : []))
          })
          const urls = new Set(there.urls)
          const texts = new Set(there.texts)
          for (const item of group) {
            const { url, text } = item.draft.content
            const [seen, key] = url === "" ? [texts, text.trim()] : [urls, url]
            if (key !== "" && seen.has(key)) dropped.add(item)
            urls.add(url)
            texts.add(text.trim())
          }
        }
        for (const item of items) if (!dropped.has(item)) kept.push(item)
        return kept
      })

      return Duplicates.of({ without })
    })
  )
}
