import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import { type AccountId, byId, type ListId, type ThingId } from "../model/Ids.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { hasFamily, originalOf, type Thing } from "../model/Thing.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Live linked copies and their original, which share content and reminder (docs/decisions.md#things). */
export class Families extends Context.Service<
  Families,
  {
    /** All members of the families of these things, including the things, without duplicates, by id. */
    readonly membersOf: (
      owner: AccountId,
      things: ReadonlyArray<Thing>
    ) => Effect.Effect<ReadonlyMap<ThingId, Thing>, StorageUnavailable>
    /**
     * Prepares the removal of things: when an original is removed, its oldest remaining copy becomes the original and
     * inherits the reminder. Returns the lists of the things it changed. Inside `Storage.transact`.
     */
    readonly release: (
      owner: AccountId,
      leaving: ReadonlyArray<Thing>,
      writeTimestamp: EpochMillis
    ) => Effect.Effect<ReadonlyArray<ListId>, StorageUnavailable>
  }
>()("@lists-and-things/domain/targets/Families") {
  static readonly layer = Layer.effect(
    Families,
    Effect.gen(function* () {
      const things = yield* ThingStore
      const reminders = yield* ReminderStore

      const membersOf = traced("Families.membersOf")(function* (owner: AccountId, some: ReadonlyArray<Thing>) {
        const members = new Map(some.map((thing) => [thing.id, thing]))
        const originals = new Set(some.filter(hasFamily).map(originalOf))
        const missing = [...originals].filter((id) => !members.has(id))
        for (const thing of missing.length > 0 ? yield* things.getMany(owner, missing) : [])
          members.set(thing.id, thing)
        for (const clone of originals.size > 0 ? yield* things.clonesOf(owner, [...originals]) : [])
          if (!members.has(clone.id)) members.set(clone.id, clone)
        return members
      })

      const release = traced("Families.release")(function* (
        owner: AccountId,
        leaving: ReadonlyArray<Thing>,
        writeTimestamp: EpochMillis
      ) {
        const gone = new Set(leaving.map((thing) => thing.id))
        const members = yield* membersOf(owner, leaving.filter(hasFamily))
        const changed: Array<Thing> = []
        const heirs = new Map<ThingId, ThingId>()
        for (const [original, family] of Map.groupBy(members.values(), originalOf)) {
          yield* yieldIfDue
          const { heir, renewed } = remainingFamily(
            family.filter((thing) => !gone.has(thing.id)),
            writeTimestamp
          )
          if (heir === undefined) continue
          for (const thing of renewed) changed.push(thing)
          if (gone.has(original)) heirs.set(original, heir)
        }
        if (heirs.size > 0) yield* reminders.reattach(owner, heirs)
        if (changed.length > 0) yield* things.put(owner, changed)
        return [...new Set(changed.map((thing) => thing.listId))]
      })

      return Families.of({ membersOf, release })
    })
  )
}

/**
 * The heir of the family without the removed members, its original or else its oldest copy, and the members that their
 * removal changes.
 */
const remainingFamily = (rest: ReadonlyArray<Thing>, writeTimestamp: EpochMillis) => {
  const oldestFirst = rest.toSorted((a, b) => a.created - b.created || byId(a, b))
  const heir = rest.find((thing) => thing.cloneOf === null) ?? oldestFirst[0]
  const renewed = rest.flatMap((thing) => {
    const cloneOf = thing === heir ? null : (heir?.id ?? null)
    const hasClones = thing === heir && rest.length > 1
    const same = cloneOf === thing.cloneOf && hasClones === thing.hasClones
    return same ? [] : [{ ...thing, cloneOf, hasClones, updated: writeTimestamp }]
  })
  return { heir: heir?.id, renewed }
}
