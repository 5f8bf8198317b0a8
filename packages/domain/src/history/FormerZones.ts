import { Effect } from "effect"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Entity, EntityChange, EntityKey } from "../model/Operation.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { inZone } from "../recurrence/ZoneChange.ts"
import type { OperationChanges } from "./Entities.ts"
import { forEachYielding, mapYielding } from "../scheduling/Yielding.ts"
import { traced } from "../scheduling/Traced.ts"

/**
 * Converts the reminders in images to the account's current zone, as a change of zone converts stored ones
 * (docs/decisions.md#reminders): an image has the times of the zone that the account had when it was made. Inside
 * `Storage.transact` or a snapshot.
 */
export const makeFormerZones = Effect.gen(function* () {
  const history = yield* HistoryStore

  /** The changes of settings after a time, oldest first, with the zone that each of them found. */
  const zonesAfter = Effect.fnUntraced(function* (owner: AccountId, since: EpochMillis, key: EntityKey) {
    const later = yield* history.later(owner, since, [key])
    if (later.length === 0) return []
    const changes = yield* history.changesOf(
      owner,
      later.map(({ keys, operation }) => ({ at: operation.at, keys }))
    )
    return later.flatMap(({ operation: { at } }) =>
      (changes.get(at) ?? []).flatMap(({ before }) =>
        before?.type === "account" ? [{ at, zone: before.value.timezone }] : []
      )
    )
  })

  return traced("Undo.inZoneOfNow")(function* (
    owner: AccountId,
    selected: ReadonlyArray<OperationChanges>
  ): Effect.fn.Return<ReadonlyArray<ReadonlyArray<EntityChange>>, StorageUnavailable> {
    const asTheyWere = selected.map(({ changes }) => changes)
    let oldest: EpochMillis | undefined
    for (const { changes, operation } of selected)
      yield* forEachYielding(changes, ({ before }) => {
        if (before?.type === "reminder" && (oldest === undefined || operation.at < oldest)) oldest = operation.at
      })
    if (oldest === undefined) return asTheyWere
    const key: EntityKey = { type: "account", id: owner }
    const zones = yield* zonesAfter(owner, oldest, key)
    const [settings] = zones.length === 0 ? [] : yield* history.current(owner, [key])
    if (settings?.type !== "account") return asTheyWere
    const to = settings.value.timezone
    return yield* Effect.forEach(selected, ({ changes, operation }) => {
      const from = zones.find(({ at }) => at > operation.at)?.zone ?? to
      return from === to ? Effect.succeed(changes) : mapYielding(changes, moved(from, to))
    })
  })
})

const moved =
  (from: string, to: string) =>
  (change: EntityChange): EntityChange => {
    const { before } = change
    if (before?.type !== "reminder" || before.value.trigger._tag === "Place") return change
    const trigger = inZone(before.value.trigger, from, to)
    return { ...change, before: { type: "reminder", value: { ...before.value, trigger } } satisfies Entity }
  }
