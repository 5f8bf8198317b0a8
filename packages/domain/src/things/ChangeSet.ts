import { hasFamily, originalOf, type Thing, type ThingContent } from "../model/Thing.ts"
import type { ListId, ThingId } from "../model/Ids.ts"
import { growthOf, type Size } from "../model/Size.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The things that one write has changed so far, each stored once at its end. */
export class ChangeSet {
  /** New things, next to the changed ones. */
  readonly copies: Array<Thing> = []
  readonly writeTimestamp: EpochMillis
  /** All members, as they were. */
  readonly before: ReadonlyMap<ThingId, Thing>
  readonly #things: Map<ThingId, Thing>
  readonly #families: ReadonlyMap<ThingId, ReadonlyArray<Thing>>
  readonly #changed = new Set<ThingId>()
  readonly #unplaced = new Set<ThingId>()

  /** `members`: everything that may be changed, with all members of its families. */
  constructor(members: ReadonlyMap<ThingId, Thing>, writeTimestamp: EpochMillis) {
    this.before = members
    this.#things = new Map(members)
    this.#families = Map.groupBy(members.values(), originalOf)
    this.writeTimestamp = writeTimestamp
  }

  /** All members, as they are now. */
  get things(): Iterable<Thing> {
    return this.#things.values()
  }

  /** As it is with the changes so far; the id must be that of a member. */
  now(id: ThingId): Thing {
    return this.#things.get(id)!
  }

  /** Changes this member alone, and dates it by the write. */
  set(id: ThingId, changes: Partial<Thing>): void {
    this.#things.set(id, { ...this.now(id), ...changes, updated: this.writeTimestamp })
    this.#changed.add(id)
  }

  /** Changes content, which all members of the thing's family share. */
  setContent(thing: Thing, content: Partial<ThingContent>): void {
    if (!hasFamily(thing)) return this.set(thing.id, content)
    for (const member of this.#families.get(originalOf(thing)) ?? []) this.set(member.id, content)
  }

  /** Moves a thing to a list, where `takeUnplaced` hands it over for its position. */
  moveTo(id: ThingId, listId: ListId): void {
    this.set(id, { listId })
    this.#unplaced.delete(id)
    this.#unplaced.add(id)
  }

  /** The things that have moved and have no position in their lists yet, in the order in which they moved. */
  takeUnplaced(): ReadonlyArray<Thing> {
    const unplaced = [...this.#unplaced].map((id) => this.now(id))
    this.#unplaced.clear()
    return unplaced
  }

  /** A thing next to this one with its fields, and no member of its family. */
  copy(thing: Thing, id: ThingId): void {
    this.copies.push({ ...thing, id, cloneOf: null, hasClones: false, updated: this.writeTimestamp })
  }

  get changed(): ReadonlyArray<Thing> {
    return [...this.#changed].map((id) => this.now(id))
  }

  get #replaced(): ReadonlyArray<Thing> {
    return [...this.#changed].map((id) => this.before.get(id)!)
  }

  /** Per list; negative where one shrinks. */
  get growth(): ReadonlyMap<ListId, Size> {
    return growthOf(this.#replaced, [...this.changed, ...this.copies])
  }

  /** The lists that a thing left, joined or changed in. */
  get lists(): ReadonlyArray<ListId> {
    return [...new Set([...this.#replaced, ...this.changed, ...this.copies].map(({ listId }) => listId))]
  }
}
