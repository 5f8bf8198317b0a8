import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Thing, ThingContent } from "../model/Thing.ts"
import { type DuplicateKeys, ThingStore } from "../ports/ThingStore.ts"
import type { Placed } from "./Insertion.ts"
import { lostOnCopy } from "./ThingDraft.ts"
import { traced } from "../scheduling/Traced.ts"

/**
 * `skip_duplicates` (docs/decisions.md#things): equal by url when there is one, else by trimmed text. A thing with
 * neither (a photo, a link to a list) equals no other. A live linked copy has the url and text of its original.
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

      const originalsOf = Effect.fnUntraced(function* (owner: AccountId, items: ReadonlyArray<Placed>) {
        const wanted = [...new Set(items.flatMap(({ draft }) => draft.clone?.of ?? []))]
        const named = wanted.length > 0 ? yield* things.getMany(owner, wanted) : []
        return new Map<string, Thing>(named.map((thing) => [thing.id, thing]))
      })

      const without = traced("Duplicates.without")(function* (owner: AccountId, items: ReadonlyArray<Placed>) {
        if (items.length === 0) return items
        const originals = yield* originalsOf(owner, items)
        const keyed = items.map((item) => ({ item, key: keyOf(item, originals) }))
        const byList = Map.groupBy(keyed, ({ item }) => item.list.id)
        const keys = [...byList].map(([id, own]) => [id, keysOf(own.map(({ key }) => key))] as const)
        const present = yield* things.duplicates(owner, new Map(keys))
        const seen = new Map(
          [...byList.keys()].map((id) => [
            id,
            { urls: new Set(present.get(id)?.urls), texts: new Set(present.get(id)?.texts) }
          ])
        )
        const isKept = ({ item, key: { text, url } }: (typeof keyed)[number]): boolean => {
          const { texts, urls } = seen.get(item.list.id)!
          const isDuplicate = url === "" ? text !== "" && texts.has(text) : urls.has(url)
          urls.add(url)
          texts.add(text)
          return !isDuplicate
        }
        return keyed.filter(isKept).map(({ item }) => item)
      })

      return Duplicates.of({ without })
    })
  )
}

type Key = Pick<ThingContent, "text" | "url">

/** Of a live linked copy that of its original; one that is refused when it is inserted equals no other. */
const keyOf = ({ at, draft }: Placed, originals: ReadonlyMap<string, Thing>): Key => {
  const { clone } = draft
  const original = clone && originals.get(clone.of)
  if (clone !== undefined && (original === undefined || lostOnCopy(clone, original, at) !== undefined))
    return { text: "", url: "" }
  const { text, url } = original ?? draft.content
  return { text: text.trim(), url }
}

const keysOf = (keys: ReadonlyArray<Key>): DuplicateKeys => ({
  urls: keys.flatMap(({ url }) => url || []),
  texts: keys.flatMap(({ text, url }) => (url === "" ? text : []))
})
