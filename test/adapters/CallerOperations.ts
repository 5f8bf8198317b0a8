import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { Changes } from "@lists-and-things/domain/history/Changes"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { reminderJson, SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson, updatedThingJson } from "@lists-and-things/domain/json/ThingJson"
import { CreateThingInput, UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { CreateWebhookInput, UpdateWebhookInput } from "@lists-and-things/domain/json/WebhookJson"
import { jobs } from "@lists-and-things/domain/housekeeping/Jobs"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Things } from "@lists-and-things/domain/things/Things"
import { Announcements } from "@lists-and-things/domain/webhooks/Announcements"
import { failingLimit, outcomeOf } from "@lists-and-things/domain/webhooks/Attempts"
import { type AllowedUrl, Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import { Effect } from "effect"
import { decoded, Kept, type Operation, storage as storageOperations } from "./Operations.ts"

const unknown = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

const pick = <A>(items: ReadonlyArray<A>, at: number): A | undefined =>
  at % 10 === 9 ? undefined : items[at % Math.max(1, items.length)]

/** The id of one of the account's newest operations, or an unknown id. */
const operationAt = (at: number) =>
  Effect.gen(function* () {
    const { account } = yield* Caller
    const { items } = yield* Effect.flatMap(HistoryStore, (history) => history.page(account.id, {}, 0, 12))
    return pick(items, at)?.id ?? unknown
  })

const webhookAt = (at: number) =>
  Effect.map(
    Effect.flatMap(Webhooks, (webhooks) => webhooks.list),
    (all) => pick(all, at)?.id ?? unknown
  )

const ownerOf = Effect.map(Caller, ({ account }) => account.id)

/** The tags that a client expects: any, one that never was, or that and the present one. */
const expectedOf = (tag: string, how: number) => (how === 0 ? "*" : how === 1 ? ['"old"'] : ['"old"', tag])

const seeing = <A, E, R>(
  id: string,
  use: (
    seen: NonNullable<Effect.Success<ReturnType<Things["Service"]["prefetch"]>>>,
    things: Things["Service"]
  ) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const things = yield* Things
    const seen = yield* things.prefetch(id)
    return seen === undefined ? undefined : yield* use(seen, things)
  })

const once = <E, R>(
  key: string,
  request: unknown,
  write: Effect.Effect<string, E, R>,
  singleStatement: (keyed: KeyedWrite) => Effect.Effect<string | undefined, E, R>
) => Effect.flatMap(IdempotencyRecords, (records) => records.once(key, JSON.stringify(request), write, singleStatement))

export const callerOperations: Readonly<Record<string, Operation>> = {
  "operations.page": (query) => Effect.flatMap(Operations, (operations) => operations.page(query)),
  "operations.view": (at) =>
    Effect.flatMap(operationAt(at), (id) => Effect.flatMap(Operations, (operations) => operations.view(id))),
  "undo.undo": (at) => Effect.flatMap(operationAt(at), (id) => Effect.flatMap(Undo, (undo) => undo.undo(id))),
  "undo.newest": (by: string) => Effect.flatMap(Undo, (undo) => undo.undoNewest(by)),
  "undo.all": (byId: string, since: EpochMillis) => Effect.flatMap(Undo, (undo) => undo.undoAll({ byId, since })),
  "history.erase": (at: number) =>
    Effect.gen(function* () {
      const history = yield* HistoryStore
      const owner = yield* ownerOf
      const id = yield* operationAt(at)
      const found = yield* history.get(owner, id)
      return yield* history.erase(owner, at % 2 === 0 && found ? { before: found.at } : { operation: id })
    }),
  "changes.read": (from: string, limit: number) =>
    Effect.gen(function* () {
      const { cursors } = yield* Kept
      const owner = yield* ownerOf
      const last = cursors.get(owner)
      const cursor = from === "last" ? last : from === "now" ? "now" : undefined
      const page = yield* Effect.flatMap(Changes, (changes) =>
        changes.read(cursor === undefined ? { limit } : { limit, cursor })
      )
      cursors.set(owner, page.cursor)
      return { ...page, cursor: Buffer.from(page.cursor, "base64url").toString() }
    }),
  dryRun: (operation: string, args: ReadonlyArray<never>) =>
    Effect.flatMap(DryRuns, (dryRuns) => Effect.map(dryRuns.of(storageOperations[operation]!(...args)), dryRunJson)),
  "things.updateIf": (id: string, how: number, body: unknown) =>
    decoded(UpdateThingInput, body, (input) =>
      Effect.gen(function* () {
        const [things, tags, preconditions] = [yield* Things, yield* EntityTags, yield* Preconditions]
        const seen = yield* things.prefetch(id)
        const tag = seen === undefined ? "" : yield* tags.ofThing(seen.thing, seen.reminder ?? null)
        const expected = expectedOf(tag, how)
        if (seen !== undefined && (yield* preconditions.isMatch(seen, expected))) {
          const updated = yield* things.updateIfUnchanged(id, input, seen)
          if (updated !== undefined) return { updated, tag: yield* tags.ofThing(updated.thing) }
        }
        const subject = { kind: "thing", id, isRemoval: false } as const
        const updated = yield* preconditions.ifMatch(subject, expected, things.update(id, input))
        return { updated, tag: yield* tags.ofThing(updated.thing) }
      })
    ),
  "things.removeIf": (id: string, how: number) =>
    Effect.gen(function* () {
      const [things, tags, preconditions] = [yield* Things, yield* EntityTags, yield* Preconditions]
      const seen = yield* things.prefetch(id)
      const tag = seen === undefined ? "" : yield* tags.ofThing(seen.thing)
      const subject = { kind: "thing", id, isRemoval: true } as const
      yield* preconditions.ifMatch(subject, expectedOf(tag, how), things.remove(id))
    }),
  "things.updateStale": (id: string, between: unknown, body: unknown) =>
    decoded(UpdateThingInput, body, (input) =>
      seeing(id, (seen, things) =>
        Effect.gen(function* () {
          yield* decoded(UpdateThingInput, between, (input) => things.update(id, input))
          return yield* things.update(id, input, seen)
        })
      )
    ),
  "things.removeIfUnchanged": (id: string) => seeing(id, (seen, things) => things.remove(id, seen)),
  "things.createKeyed": (key: string, body: unknown) =>
    decoded(CreateThingInput, body, (input) =>
      Effect.flatMap(Things, (things) => {
        const answerOf = (thing: Parameters<typeof thingJson>[0]) => JSON.stringify(thingJson(thing))
        return once(key, body, Effect.map(things.create(input), answerOf), (keyed) =>
          Effect.map(things.createKeyed(input, { ...keyed, answerOf }), (thing) => thing && answerOf(thing))
        )
      })
    ),
  "things.updateKeyed": (key: string, id: string, body: unknown) =>
    decoded(UpdateThingInput, body, (input) =>
      Effect.gen(function* () {
        const things = yield* Things
        const seen = yield* things.prefetch(id)
        const answerOf = (updated: Parameters<typeof updatedThingJson>[0]) => JSON.stringify(updatedThingJson(updated))
        return yield* once(key, { id, body }, Effect.map(things.update(id, input, seen), answerOf), (keyed) =>
          seen === undefined
            ? Effect.undefined
            : Effect.map(
                things.updateIfUnchanged(id, input, seen, { ...keyed, answerOf }),
                (updated) => updated && answerOf(updated)
              )
        )
      })
    ),
  "things.removeKeyed": (key: string, id: string) =>
    Effect.gen(function* () {
      const things = yield* Things
      const seen = yield* things.prefetch(id)
      const answer = "gone"
      return yield* once(key, { id }, Effect.as(things.remove(id, seen), answer), (keyed) =>
        seen === undefined
          ? Effect.undefined
          : Effect.map(things.removeIfUnchanged(seen, { ...keyed, answerOf: () => answer }), (gone) =>
              gone ? answer : undefined
            )
      )
    }),
  "reminders.setKeyed": (key: string, id: string, body: unknown) =>
    decoded(SetReminderInput, body, (input) =>
      Effect.gen(function* () {
        const [things, reminders] = [yield* Things, yield* Reminders]
        const seen = yield* things.prefetch(id)
        const answerOf = (view: ReminderView) => JSON.stringify(reminderJson(view))
        return yield* once(key, { id, body }, Effect.map(reminders.set(id, input, seen), answerOf), (keyed) =>
          seen === undefined
            ? Effect.undefined
            : Effect.map(
                reminders.setIfUnchanged(seen, input, { ...keyed, answerOf }),
                (view) => view && answerOf(view)
              )
        )
      })
    ),
  "reminders.removeKeyed": (key: string, id: string) =>
    Effect.gen(function* () {
      const [things, reminders] = [yield* Things, yield* Reminders]
      const seen = yield* things.prefetch(id)
      const answer = "removed"
      return yield* once(key, { id }, Effect.as(reminders.remove(id, seen), answer), (keyed) =>
        seen === undefined
          ? Effect.undefined
          : Effect.map(reminders.removeIfUnchanged(seen, { ...keyed, answerOf: () => answer }), (gone) =>
              gone ? answer : undefined
            )
      )
    }),
  "tags.ofList": (id: string) =>
    Effect.gen(function* () {
      const [lists, tags] = [yield* Lists, yield* EntityTags]
      const { list } = yield* lists.view(id)
      return [yield* tags.ofList(list), yield* tags.ofCurrentList(list), yield* tags.ofAccount]
    }),
  "webhooks.list": () => Effect.flatMap(Webhooks, (webhooks) => webhooks.list),
  "webhooks.create": (body) =>
    decoded(CreateWebhookInput, body, (input) =>
      Effect.flatMap(Webhooks, (webhooks) => webhooks.create({ ...input, url: input.url as AllowedUrl }))
    ),
  "webhooks.update": (at: number, body: unknown) =>
    decoded(UpdateWebhookInput, body, ({ url, ...input }) =>
      Effect.flatMap(webhookAt(at), (id) =>
        Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.update(id, { ...input, ...(url !== undefined && { url: url as AllowedUrl }) })
        )
      )
    ),
  "webhooks.rotate": (at) =>
    Effect.flatMap(webhookAt(at), (id) => Effect.flatMap(Webhooks, (webhooks) => webhooks.rotate(id))),
  "webhooks.remove": (at) =>
    Effect.flatMap(webhookAt(at), (id) => Effect.flatMap(Webhooks, (webhooks) => webhooks.remove(id))),
  "webhooks.test": (at) =>
    Effect.flatMap(webhookAt(at), (id) => Effect.flatMap(Webhooks, (webhooks) => Effect.flatten(webhooks.test(id)))),
  "webhooks.deliveries": (at, page: number) =>
    Effect.flatMap(webhookAt(at), (id) => Effect.flatMap(Webhooks, (webhooks) => webhooks.deliveries(id, page))),
  "webhooks.replay": (at, which: number) =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const id = yield* webhookAt(at)
      const { items } = yield* webhooks.deliveries(id, 0)
      return yield* webhooks.replay(id, pick(items, which)?.id ?? unknown)
    }),
  "webhooks.replaySince": (at, since: string) =>
    Effect.flatMap(webhookAt(at), (id) => Effect.flatMap(Webhooks, (webhooks) => webhooks.replaySince(id, since))),
  announce: () => Effect.flatMap(Announcements, ({ operations, reminders }) => Effect.all([operations, reminders])),
  attempt: (how: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const now = yield* currentTime
      const leases = yield* store.lease(now, 30_000, 100)
      const ordered = leases.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
      const shown = ordered.map(({ token: _, ...lease }) => lease)
      const released = ordered.filter((_, index) => how[index % how.length] === 3)
      if (released.length > 0) yield* store.release(released)
      const outcomes = ordered.flatMap((lease, index) => {
        const kind = how[index % how.length]!
        if (kind > 2) return []
        const status = [200, 500, 410][kind]!
        return [outcomeOf(lease, { status, text: "an answer", retryAfter: null, durationMillis: 3 }, now, 0.5)]
      })
      yield* store.finish(outcomes, failingLimit)
      return { shown, backlog: yield* store.backlog(now), isNeeded: yield* store.isNeeded }
    }),
  "keys.create": (name: string, scopes: ReadonlyArray<Scope>, rateLimit: number) =>
    Effect.gen(function* () {
      const { tokens } = yield* Kept
      const account = yield* ownerOf
      const made = yield* Effect.flatMap(ApiKeys, (keys) => keys.create({ account, name, scopes, rateLimit }))
      tokens.set(account, [...(tokens.get(account) ?? []), made.token])
      return made
    }),
  "keys.list": () =>
    Effect.gen(function* () {
      return yield* (yield* ApiKeys).list(yield* ownerOf)
    }),
  "keys.revoke": (at: number) =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const all = yield* keys.list(yield* ownerOf)
      yield* keys.revoke(pick(all, at)?.id ?? "aaaaaaaaaaaa")
    }),
  "keys.admit": (at: number, scope: Scope) =>
    Effect.gen(function* () {
      const { tokens } = yield* Kept
      const token = pick(tokens.get(yield* ownerOf) ?? [], at)
      const admitted = yield* Effect.flatMap(ApiKeys, (keys) => keys.admit(token, scope))
      return { ...admitted, caller: { ...admitted.caller, scopes: [...admitted.caller.scopes] } }
    }),
  housekeeping: () =>
    Effect.gen(function* () {
      const now = yield* currentTime
      return yield* Effect.forEach(yield* jobs, ({ name, step }) =>
        Effect.map(step(now, 500), (removed) => [name, removed])
      )
    })
}
