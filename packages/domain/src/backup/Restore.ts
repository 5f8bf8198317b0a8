import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import type { Account } from "../model/Account.ts"
import { applySettings } from "../caller/AccountSettings.ts"
import { restoredContent } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { Conflict, type Forbidden, type InvalidInput, type NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { type ListId, type PlaceId, type ThingId, WebhookId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { Storage } from "../ports/Storage.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { neverDelivered, restoredReason } from "../model/Webhook.ts"
import { mintWebhookSecret } from "../webhooks/Secrets.ts"
import { maxWebhooks } from "../webhooks/Webhooks.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Capacity } from "../size/Capacity.ts"
import { growthOf } from "../model/Size.ts"
import { titleKey } from "../text/TextFold.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import { originalOf, originalsFirst, type Thing } from "../model/Thing.ts"
import type { BackupDocument } from "./BackupDocument.ts"
import { instantIn, parseBackup } from "./BackupParser.ts"
import { type Restored, restoredInto } from "./Restored.ts"
import { inZone } from "../recurrence/ZoneChange.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { traced } from "../scheduling/Traced.ts"

/** What was restored, by number. */
export interface RestoreResult {
  readonly lists: number
  readonly things: number
  readonly reminders: number
  /** Records of every kind that the account already had. */
  readonly skipped: number
}

export interface RestoreOptions {
  /** Restores into an account that is not empty: existing records and settings are kept. */
  readonly merge: boolean
}

type RestoreError = Conflict | Forbidden | InvalidInput | NotFound | StorageUnavailable

interface Known {
  /** Lists and places that already exist, perhaps under another id, by their ids in the export. */
  readonly lists: ReadonlyMap<string, ListId>
  readonly places: ReadonlyMap<string, PlaceId>
  /** All lists that the account had before. */
  readonly present: ReadonlySet<ListId>
}

/** The time zones of the export and of the account that it is restored into. */
interface Zones {
  readonly from: string
  readonly to: string
}

/** What the reminders of an export are moved to: places, originals of things, and the zone of the account. */
interface Reminded extends Pick<Known, "places"> {
  readonly originals: ReadonlyMap<ThingId, ThingId>
  readonly zones: Zones
}

const movedTo = (trigger: TimeTrigger, { from, to }: Zones): TimeTrigger =>
  from === to ? trigger : inZone(trigger, from, to)

const chunkSize = 500

/** Restores an export in one transaction. */
export class Restore extends Context.Service<
  Restore,
  {
    /**
     * `InvalidInput` names the line, or the limit that would be exceeded; `Conflict` when the account is not empty and
     * `merge` is false.
     */
    readonly run: (text: string, options: RestoreOptions) => Effect.Effect<RestoreResult, RestoreError, Caller>
  }
>()("@lists-and-things/domain/backup/Restore") {
  static readonly layer = Layer.effect(
    Restore,
    Effect.gen(function* () {
      const storage = yield* Storage
      const accounts = yield* AccountStore
      const lists = yield* ListStore
      const things = yield* ThingStore
      const reminders = yield* ReminderStore
      const places = yield* PlaceStore
      const capacity = yield* Capacity
      const webhooks = yield* WebhookStore
      const mintSecret = Effect.provideService(mintWebhookSecret, Crypto.Crypto, yield* Crypto.Crypto)

      const run = traced("Restore.run")(function* (text: string, { merge }: RestoreOptions) {
        const { account } = yield* callerWith("write:lists", "write:things")
        const document = yield* parseBackup(text)
        const restored = restoredInto(account.id, document)
        const withTheirs = yield* withSettings(account, document)
        const zones = { from: withTheirs.timezone, to: merge ? account.timezone : withTheirs.timezone }
        const write = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          if (!merge) {
            yield* makeEmpty(account)
            yield* accounts.put(withTheirs)
          }
          const placed = yield* putPlaces(account, restored)
          const listed = yield* putLists(account, restored)
          const known = { places: placed.known, lists: listed.known, present: listed.present }
          const filled = yield* putThings(account, restored, known, writeTimestamp)
          const reminded = yield* putReminders(account, restored, {
            places: known.places,
            originals: filled.originals,
            zones
          })
          const hooked = yield* putWebhooks(account, document, writeTimestamp)
          const skipped = placed.skipped + listed.skipped + filled.skipped + reminded.skipped + hooked.skipped
          const created = { lists: listed.created, things: filled.created, reminders: reminded.created }
          yield* describe(restoredContent(created))
          return { ...created, skipped }
        })
        return yield* storage.transact(account.id, write)
      })

      /** Empty day lists do not count as content; they are removed in favor of those in the export. */
      const makeEmpty = Effect.fnUntraced(function* (account: Account) {
        const present = yield* lists.all(account.id)
        const saved = yield* places.all(account.id)
        const filled = yield* things.ends(
          account.id,
          present.map(({ id }) => id)
        )
        const kept = present.filter((list) => list.day === null || filled.has(list.id))
        if (kept.length > 0 || saved.length > 0) {
          return yield* new Conflict({
            message: "This account is not empty: restore into a new account, or merge into this one."
          })
        }
        for (const list of present) yield* lists.remove(account.id, list.id)
      })

      /**
       * Checked for a merge as well, which keeps the account's settings: an export whose settings break a rule is
       * damaged.
       */
      const withSettings = (account: Account, { account: settings }: BackupDocument) =>
        applySettings(account, {
          name: settings.name,
          timezone: settings.timezone,
          defaultThingType: settings.default_thing_type,
          defaultListSort: settings.default_list_sort,
          defaultReminderMinutes: settings.default_reminder_minutes,
          defaultAlertMinutes: settings.default_alert_minutes,
          defaultReminderColor: settings.default_reminder_color,
          repeatMovesToDay: settings.repeat_moves_to_day,
          ...(settings.all_day_at !== undefined && { allDayAt: settings.all_day_at })
        })

      const putPlaces = Effect.fnUntraced(function* (account: Account, restored: Restored) {
        const present = yield* places.all(account.id)
        const ids = new Set(present.map((place) => place.id))
        const names = new Map(present.map((place) => [titleKey(place.name), place.id]))
        const known = new Map<string, PlaceId>()
        for (const place of restored.places) {
          const same = ids.has(place.id) ? place.id : names.get(titleKey(place.name))
          if (same === undefined) yield* places.put(place)
          else known.set(place.id, same)
        }
        return { known, skipped: known.size }
      })

      const putLists = Effect.fnUntraced(function* (account: Account, restored: Restored) {
        const present = new Set((yield* lists.all(account.id)).map((list) => list.id))
        const known = new Map<string, ListId>()
        for (const list of restored.lists) {
          const kept: List = present.has(list.id) ? list : yield* lists.insert(list)
          if (present.has(list.id) || kept.id !== list.id) known.set(list.id, kept.id)
        }
        return { known, present, created: restored.lists.length - known.size, skipped: known.size }
      })

      const putThings = Effect.fnUntraced(function* (
        account: Account,
        restored: Restored,
        known: Known,
        writeTimestamp: EpochMillis
      ) {
        const present = new Map<ThingId, Thing>()
        for (const chunk of chunksOf(restored.things, chunkSize)) {
          const found = yield* things.getMany(
            account.id,
            chunk.map((thing) => thing.id)
          )
          for (const thing of found) present.set(thing.id, thing)
        }
        const missing = restored.things.filter((thing) => !present.has(thing.id))
        const families = yield* originalsOf(account, present, missing, writeTimestamp)
        const cloned = new Set(missing.map((thing) => thing.cloneOf))
        const fresh = missing.map((thing) => settled(thing, known, families, cloned))
        yield* capacity.admit(account.id, growthOf([], fresh))
        for (const chunk of chunksOf(fresh.toSorted(originalsFirst), chunkSize)) yield* things.insert(account.id, chunk)
        const touched = new Set(fresh.map((thing) => thing.listId).filter((id) => known.present.has(id)))
        yield* lists.touch(account.id, [...touched], writeTimestamp)
        const originals = new Map(
          restored.things.map((thing) => [thing.id, originalOf(present.get(thing.id) ?? thing)])
        )
        return { originals, created: fresh.length, skipped: present.size }
      })

      /** The existing originals of restored copies, marked as having some. */
      const originalsOf = Effect.fnUntraced(function* (
        account: Account,
        present: ReadonlyMap<ThingId, Thing>,
        missing: ReadonlyArray<Thing>,
        writeTimestamp: EpochMillis
      ) {
        const families = new Map<ThingId, Thing>()
        for (const { cloneOf } of missing) {
          const member = cloneOf === null ? undefined : present.get(cloneOf)
          if (member === undefined || families.has(member.id)) continue
          const [original] = yield* things.getMany(account.id, [originalOf(member)])
          if (original === undefined) continue
          families.set(member.id, original)
          if (!original.hasClones)
            yield* things.put(account.id, [{ ...original, hasClones: true, updated: writeTimestamp }])
        }
        return families
      })

      const putReminders = Effect.fnUntraced(function* (
        account: Account,
        restored: Restored,
        { originals, places, zones }: Reminded
      ) {
        const present = yield* reminders.all(account.id)
        const ids = new Set(present.map((reminder) => reminder.id))
        const reminded = new Set(present.map((reminder) => reminder.thingId))
        const fresh: Array<Reminder> = []
        for (const { trigger, ...reminder } of restored.reminders) {
          const thingId = originals.get(reminder.thingId) ?? reminder.thingId
          if (ids.has(reminder.id) || reminded.has(thingId)) continue
          yield* yieldIfDue
          const moved =
            trigger._tag === "Time"
              ? movedTo(trigger, zones)
              : { ...trigger, placeId: places.get(trigger.placeId) ?? trigger.placeId }
          fresh.push({ ...reminder, thingId, trigger: moved })
          reminded.add(thingId)
        }
        for (const chunk of chunksOf(fresh, chunkSize)) yield* reminders.put(account.id, chunk)
        return { created: fresh.length, skipped: restored.reminders.length - fresh.length }
      })

      /** Webhooks come back switched off and with new secrets, since an address may belong to someone else by now. */
      const putWebhooks = Effect.fnUntraced(function* (
        account: Account,
        document: BackupDocument,
        writeTimestamp: EpochMillis
      ) {
        const given = document.webhooks ?? []
        const present = new Set((yield* webhooks.list(account.id)).map(({ id }) => id))
        const fresh = given
          .filter(({ id }) => !present.has(WebhookId.make(id)))
          .slice(0, Math.max(0, maxWebhooks - present.size))
        for (const { created, description, events, format, id, url } of fresh) {
          yield* webhooks.insert({
            ...neverDelivered,
            id: WebhookId.make(id),
            owner: account.id,
            url,
            events,
            format,
            description,
            enabled: false,
            disabledReason: restoredReason,
            secret: yield* mintSecret,
            created: instantIn(created),
            madeBy: null,
            since: writeTimestamp,
            afterWrite: writeTimestamp
          })
        }
        return { skipped: given.length - fresh.length }
      })

      return Restore.of({ run })
    })
  ).pipe(Layer.provide(Capacity.layer))
}

/** A restored thing, with references mapped to records that exist under another id and joined to an existing family. */
const settled = (
  thing: Thing,
  known: Known,
  families: ReadonlyMap<ThingId, Thing>,
  cloned: ReadonlySet<ThingId | null>
): Thing => {
  const listRef = thing.listRef === null ? null : (known.lists.get(thing.listRef) ?? thing.listRef)
  const listId = known.lists.get(thing.listId) ?? thing.listId
  const own = { ...thing, listId, listRef, hasClones: cloned.has(thing.id) }
  const original = thing.cloneOf === null ? undefined : families.get(thing.cloneOf)
  if (original === undefined) return own
  const { id, position, tabs, favorited, created } = own
  return { ...original, id, listId, position, tabs, favorited, created, cloneOf: original.id, hasClones: false }
}
