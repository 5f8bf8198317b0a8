import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type DuplicateKeys, ThingStore } from "../ports/ThingStore.ts"
import type { Placed } from "./Insertion.ts"
import { traced } from "../scheduling/Traced.ts"

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

      const without = traced("Duplicates.without")(function* (owner: AccountId, items: ReadonlyArray<Placed>) {
        const byList = Map.groupBy(items, (item) => item.list.id)
        if (byList.size === 0) return items
        const present = yield* things.duplicates(owner, new Map([...byList].map(([id, own]) => [id, keysOf(own)])))
        const seen = new Map(
          [...byList.keys()].map((id) => [
            id,
            { urls: new Set(present.get(id)?.urls), texts: new Set(present.get(id)?.texts) }
          ])
        )
        return items.filter(({ draft, list }) => {
          const { texts, urls } = seen.get(list.id)!
          const { url } = draft.content
          const text = draft.content.text.trim()
          const isDuplicate = url === "" ? text !== "" && texts.has(text) : urls.has(url)
          urls.add(url)
          texts.add(text)
          return !isDuplicate
        })
      })

      return Duplicates.of({ without })
    })
  )
}

const keysOf = (items: ReadonlyArray<Placed>): DuplicateKeys => ({
  urls: items.flatMap(({ draft }) => draft.content.url || []),
  texts: items.flatMap(({ draft }) => (draft.content.url === "" ? draft.content.text.trim() : []))
})
