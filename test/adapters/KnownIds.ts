import type { Ref } from "./Values.ts"
import type { Dump } from "./Instance.ts"

const kinds = ["list", "thing", "place"] as const
const idOf = ({ id }: { readonly id: string }): string => id
const freshId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

/** Ids of what the owners have and had, for the references in commands. */
export class KnownIds {
  #live: Record<string, Record<Ref["$"], ReadonlyArray<string>>> = {}
  readonly #ever: Record<Ref["$"], Set<string>> = { list: new Set(), thing: new Set(), place: new Set() }

  see(owner: string, { lists, things, places }: Dump): void {
    const live = { list: lists.map(idOf), thing: things.map(idOf), place: places.map(idOf) }
    this.#live[owner] = live
    for (const kind of kinds) for (const id of live[kind]) this.#ever[kind].add(id)
  }

  /** Replaces every reference by an id: usually the owner's, else another owner's, a deleted or an unknown one. */
  resolveAll(owner: string, args: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    return args.map((each) => this.#resolve(owner, each))
  }

  #resolve(owner: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#resolve(owner, each))
    if (typeof value !== "object" || value === null) return value
    if ("$" in value) return this.#idOf(owner, value as Ref)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#resolve(owner, each)]))
  }

  #idOf(owner: string, { $, at }: Ref): string {
    const mine = this.#live[owner]?.[$] ?? []
    const ids = at % 10 === 9 || mine.length === 0 ? [...this.#ever[$], "no id", freshId] : mine
    return ids[at % ids.length]!
  }
}
