import { Context, Effect, Layer, Stream } from "effect"
import * as Crypto from "effect/Crypto"
import type { Account } from "../model/Account.ts"
import { applySettings } from "../caller/AccountSettings.ts"
import { restoredContent } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { Conflict, type Forbidden, type InvalidInput, type NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { type AccountId, type ListId, type PlaceId, type ThingId, WebhookId } from "../model/Ids.ts"
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
import { growthOf, nothing, plus, type Size } from "../model/Size.ts"
import { titleKey } from "../text/TextFold.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import { originalOf, type Thing } from "../model/Thing.ts"
import type { BackupRecord } from "./BackupChecks.ts"
import type { BackupText } from "./BackupLayout.ts"
import { instantIn, openBackup, type OpenedBackup } from "./BackupParser.ts"
import { listOf, placeOf, reminderOf, thingOf } from "./Restored.ts"
import { inZone } from "../recurrence/ZoneChange.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
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

/** What of the things of an export is in the account already. */
interface Survey {
  /** The originals of those that are there, by id; their own for originals. */
  readonly present: ReadonlyMap<ThingId, ThingId>
  /** The originals of those that are there and of which the export has a copy that is not, by id. */
  readonly families: ReadonlyMap<ThingId, ThingId>
  /** Things of which the export has a copy that is not there. */
  readonly cloned: ReadonlySet<ThingId>
}

/** What the reminders of an export are moved to: places, originals of things, and the zone of the account. */
interface ReminderContext extends Pick<Known, "places"> {
  readonly originals: ReadonlyMap<ThingId, ThingId>
  readonly zones: Zones
}

const movedTo = (trigger: TimeTrigger, { from, to }: Zones): TimeTrigger =>
  from === to ? trigger : inZone(trigger, from, to)

/** Records per statement, and characters of their notes after which no further one follows. */
const chunkSize = 500
const chunkLength = 4 * 2 ** 20

/** Chunks of things, in their order. */
const inChunks = <E>(things: Stream.Stream<Thing, E>): Stream.Stream<ReadonlyArray<Thing>, E> =>
  things.pipe(
    Stream.mapAccum(
      () => ({ chunk: new Array<Thing>(), length: 0 }),
      ({ chunk, length }, thing) => {
        chunk.push(thing)
        const grown = length + thing.note.length
        const isFull = chunk.length >= chunkSize || grown >= chunkLength
        return isFull ? [{ chunk: [], length: 0 }, [chunk]] : [{ chunk, length: grown }, []]
      },
      { onHalt: ({ chunk }) => (chunk.length === 0 ? [] : [chunk]) }
    )
  )

const uniqueIds = (ids: Iterable<ThingId | null | undefined>): ReadonlyArray<ThingId> =>
  [...new Set(ids)].filter((id) => id !== null && id !== undefined)

/** Restores an export in one transaction. */
export class Restore extends Context.Service<
  Restore,
  {
    /**
     * `InvalidInput` names the line, or the limit that would be exceeded; `Conflict` when the account is not empty and
     * `merge` is false. The text is read several times, so that an export of any size takes little memory.
     */
    readonly run: <E>(
      text: BackupText<E>,
      options: RestoreOptions
    ) => Effect.Effect<RestoreResult, E | RestoreError, Caller>
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

      const run = traced("Restore.run")(function* <E>(text: BackupText<E>, { merge }: RestoreOptions) {
        const { account } = yield* callerWith("write:lists", "write:things")
        const backup = yield* openBackup(text)
        const withTheirs = yield* withSettings(account, backup)
        const zones = { from: withTheirs.timezone, to: merge ? account.timezone : withTheirs.timezone }
        const write = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          if (!merge) {
            yield* makeEmpty(account)
            yield* accounts.put(withTheirs)
          }
          const ofPlaces = yield* putPlaces(account, backup)
          const ofLists = yield* putLists(account, backup)
          const known = { places: ofPlaces.known, lists: ofLists.known, present: ofLists.present }
          const ofThings = yield* putThings(account, backup, known, writeTimestamp)
          const context = { places: known.places, originals: ofThings.originals, zones }
          const ofReminders = yield* putReminders(account, backup, context)
          const ofWebhooks = yield* putWebhooks(account, backup, writeTimestamp)
          const skipped = [ofPlaces, ofLists, ofThings, ofReminders, ofWebhooks].reduce(
            (sum, each) => sum + each.skipped,
            0
          )
          const created = { lists: ofLists.created, things: ofThings.created, reminders: ofReminders.created }
          yield* describe(restoredContent(created))
          return { ...created, skipped }
        })
        return yield* storage.transact(account.id, write, { unlimited: true })
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
      const withSettings = (account: Account, { account: settings }: Pick<OpenedBackup<never>, "account">) =>
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

      const putPlaces = Effect.fnUntraced(function* (account: Account, backup: Pick<OpenedBackup<never>, "places">) {
        const present = yield* places.all(account.id)
        const ids = new Set(present.map((place) => place.id))
        const names = new Map(present.map((place) => [titleKey(place.name), place.id]))
        const known = new Map<string, PlaceId>()
        for (const record of backup.places) {
          const place = placeOf(account.id, record)
          const same = ids.has(place.id) ? place.id : names.get(titleKey(place.name))
          if (same === undefined) yield* places.put(place)
          else known.set(place.id, same)
        }
        return { known, skipped: known.size }
      })

      const putLists = Effect.fnUntraced(function* (account: Account, backup: Pick<OpenedBackup<never>, "lists">) {
        const present = new Set((yield* lists.all(account.id)).map((list) => list.id))
        const known = new Map<string, ListId>()
        for (const record of backup.lists) {
          const list = listOf(account.id, record)
          const kept: List = present.has(list.id) ? list : yield* lists.insert(list)
          if (present.has(list.id) || kept.id !== list.id) known.set(list.id, kept.id)
        }
        return { known, present, created: backup.lists.length - known.size, skipped: known.size }
      })

      const thingsOf = (owner: AccountId, ids: ReadonlyArray<ThingId>) =>
        ids.length === 0 ? Effect.succeed([]) : things.getMany(owner, ids)

      const putThings = Effect.fnUntraced(function* <E>(
        account: Account,
        backup: Pick<OpenedBackup<E>, "things">,
        known: Known,
        writeTimestamp: EpochMillis
      ) {
        const { id: owner } = account
        const all = Stream.map(backup.things, (record) => thingOf(owner, record, false))
        const survey = yield* surveyed(owner, all, known, writeTimestamp)
        const missing = Stream.filter(all, ({ id }) => !survey.present.has(id))
        const touched = new Set<ListId>()
        let created = 0
        const insert = (chunk: ReadonlyArray<Thing>) =>
          Effect.gen(function* () {
            const fresh = yield* settled(owner, chunk, known, survey)
            yield* things.insert(owner, fresh)
            created += fresh.length
            for (const { listId } of fresh) if (known.present.has(listId)) touched.add(listId)
          })
        const put = (each: Stream.Stream<Thing, E | InvalidInput>) => Stream.runForEach(inChunks(each), insert)
        yield* put(Stream.filter(missing, ({ cloneOf }) => cloneOf === null))
        // After the originals, which they refer to.
        if (survey.cloned.size > 0) yield* put(Stream.filter(missing, ({ cloneOf }) => cloneOf !== null))
        yield* lists.touch(owner, [...touched], writeTimestamp)
        return { originals: survey.present, created, skipped: survey.present.size }
      })

      /** Checks that the account can hold what is missing; existing originals of missing copies are marked as having some. */
      const surveyed = Effect.fnUntraced(function* <E>(
        owner: AccountId,
        all: Stream.Stream<Thing, E>,
        known: Known,
        writeTimestamp: EpochMillis
      ) {
        const present = new Map<ThingId, ThingId>()
        const families = new Map<ThingId, ThingId>()
        const cloned = new Set<ThingId>()
        const growth = new Map<ListId, Size>()
        const survey = { present, families, cloned }
        const look = Effect.fnUntraced(function* (chunk: ReadonlyArray<Thing>) {
          const ids = uniqueIds(chunk.flatMap(({ id, cloneOf }) => [id, cloneOf]))
          // An account without lists has no things.
          const there = yield* thingsOf(owner, known.present.size === 0 ? [] : ids)
          const found = new Map(there.map((thing) => [thing.id, originalOf(thing)]))
          for (const { id } of chunk) if (found.has(id)) present.set(id, found.get(id)!)
          const missing = chunk.filter(({ id }) => !found.has(id))
          const members = uniqueIds(missing.map(({ cloneOf }) => cloneOf))
          for (const id of members) cloned.add(id)
          const joined = members.filter((id) => found.has(id) && !families.has(id))
          for (const id of joined) families.set(id, found.get(id)!)
          for (const original of yield* thingsOf(owner, uniqueIds(joined.map((id) => found.get(id)))))
            if (!original.hasClones)
              yield* things.put(owner, [{ ...original, hasClones: true, updated: writeTimestamp }])
          for (const [id, size] of growthOf([], yield* settled(owner, missing, known, survey)))
            growth.set(id, plus(growth.get(id) ?? nothing, size))
        })
        yield* Stream.runForEach(inChunks(all), look)
        yield* capacity.admit(owner, growth)
        return survey
      })

      /** Missing things, with references mapped to records that exist under another id and joined to existing families. */
      const settled = Effect.fnUntraced(function* (
        owner: AccountId,
        missing: ReadonlyArray<Thing>,
        known: Known,
        { cloned, families }: Survey
      ) {
        const joined = uniqueIds(missing.map(({ cloneOf }) => cloneOf && families.get(cloneOf)))
        const byId = new Map((yield* thingsOf(owner, joined)).map((thing) => [thing.id, thing]))
        return missing.map((thing) => {
          const listRef = thing.listRef === null ? null : (known.lists.get(thing.listRef) ?? thing.listRef)
          const listId = known.lists.get(thing.listId) ?? thing.listId
          const own = { ...thing, listId, listRef, hasClones: cloned.has(thing.id) }
          const family = thing.cloneOf === null ? undefined : families.get(thing.cloneOf)
          const original = family === undefined ? undefined : byId.get(family)
          return original === undefined ? own : copyOf(original, own)
        })
      })

      const putReminders = Effect.fnUntraced(function* <E>(
        account: Account,
        backup: Pick<OpenedBackup<E>, "reminders">,
        { originals, places, zones }: ReminderContext
      ) {
        const present = yield* reminders.all(account.id)
        const ids = new Set(present.map((reminder) => reminder.id))
        const reminded = new Set(present.map((reminder) => reminder.thingId))
        let [created, skipped] = [0, 0]
        const put = Effect.fnUntraced(function* (chunk: ReadonlyArray<BackupRecord<"reminders">>) {
          const fresh: Array<Reminder> = []
          for (const record of chunk) {
            const { trigger, ...reminder } = reminderOf(account.id, record)
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
          yield* reminders.put(account.id, fresh)
          created += fresh.length
          skipped += chunk.length - fresh.length
        })
        yield* Stream.runForEach(Stream.grouped(backup.reminders, chunkSize), put)
        return { created, skipped }
      })

      /** Webhooks come back switched off and with new secrets, since an address may belong to someone else by now. */
      const putWebhooks = Effect.fnUntraced(function* (
        account: Account,
        { webhooks: given }: Pick<OpenedBackup<never>, "webhooks">,
        writeTimestamp: EpochMillis
      ) {
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

/** A restored copy that joins an existing family, with the content of its original. */
const copyOf = (original: Thing, { created, favorited, id, listId, position, tabs }: Thing): Thing => ({
  ...original,
  ...{ id, listId, position, tabs, favorited, created },
  cloneOf: original.id,
  hasClones: false
})
