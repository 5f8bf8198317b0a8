import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Conflict, type DomainError } from "@lists-and-things/domain/model/Errors"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Name } from "@lists-and-things/domain/json/Fields"
import { CreateListInput, ImportMarkdownInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { SavePlaceInput } from "@lists-and-things/domain/json/PlaceJson"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import {
  AppendMarkdownInput,
  BulkCreateInput,
  BulkUpdateInput,
  CreateThingInput,
  UpdateThingInput
} from "@lists-and-things/domain/json/ThingInput"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Places } from "@lists-and-things/domain/places/Places"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import type { ReminderRange } from "@lists-and-things/domain/reminders/ReminderRange"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { type ThingQuery, Things } from "@lists-and-things/domain/things/Things"
import { Announcements } from "@lists-and-things/domain/webhooks/Announcements"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Context, Effect, type Layer, type Schema } from "effect"
import type { Ports } from "@lists-and-things/storage-pg/PgStorage"

/** The state that a consumer of the feed and a holder of keys keep, by owner. */
export class Kept extends Context.Service<
  Kept,
  { readonly cursors: Map<string, string>; readonly tokens: Map<string, ReadonlyArray<string>> }
>()("test/adapters/Kept") {}

type UseCases = Layer.Success<typeof useCases> | Announcements | Caller | Kept | Ports

/** Called with the arguments that `Commands` generated, with their ids resolved. */
export type Operation = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, DomainError, UseCases>

export const decoded = <A, B, E, R>(
  schema: Schema.ConstraintDecoder<A>,
  body: unknown,
  use: (input: A) => Effect.Effect<B, E, R>
) => Effect.flatMap(decodeInput(schema)(body), use)

const createThing = (body: unknown) =>
  decoded(CreateThingInput, body, (input) => Effect.flatMap(Things, (things) => things.create(input)))

export const storage: Readonly<Record<string, Operation>> = {
  "lists.create": (body) =>
    decoded(CreateListInput, body, (input) => Effect.flatMap(Lists, (lists) => lists.create(input))),
  "lists.importMarkdown": (body) =>
    decoded(ImportMarkdownInput, body, (input) => Effect.flatMap(Lists, (lists) => lists.importMarkdown(input))),
  "lists.update": (id, body) =>
    decoded(UpdateListInput, body, (input) => Effect.flatMap(Lists, (lists) => lists.update(id, input))),
  "lists.remove": (id) => Effect.flatMap(Lists, (lists) => lists.remove(id)),
  "lists.page": (page) => Effect.flatMap(Lists, (lists) => lists.page(page)),
  "lists.view": (id) => Effect.flatMap(Lists, (lists) => lists.view(id)),
  "lists.byName": (text) => decoded(Name, text, (name) => Effect.flatMap(Lists, (lists) => lists.byName(name))),
  "lists.day": (date) => Effect.flatMap(Lists, (lists) => lists.day(date)),
  "lists.markdown": (id) => Effect.flatMap(Lists, (lists) => lists.markdown(id)),
  "things.create": createThing,
  "things.clone": (clone_of, list_id) => createThing({ clone_of, list_id }),
  "things.update": (id, body) =>
    decoded(UpdateThingInput, body, (input) => Effect.flatMap(Things, (things) => things.update(id, input))),
  "things.remove": (id) => Effect.flatMap(Things, (things) => things.remove(id)),
  "things.get": (id) => Effect.flatMap(Things, (things) => things.get(id)),
  "things.page": (query: ThingQuery) => Effect.flatMap(Things, (things) => things.page(query)),
  "bulk.create": (body) =>
    decoded(BulkCreateInput, body, (input) => Effect.flatMap(BulkThings, (bulk) => bulk.create(input))),
  "bulk.update": (ids, set) =>
    decoded(BulkUpdateInput, { ids, set }, (input) => Effect.flatMap(BulkThings, (bulk) => bulk.update(input))),
  "bulk.remove": (ids) => Effect.flatMap(BulkThings, (bulk) => bulk.remove(ids)),
  "bulk.appendMarkdown": (body) =>
    decoded(AppendMarkdownInput, body, (input) => Effect.flatMap(BulkThings, (bulk) => bulk.appendMarkdown(input))),
  "reminders.set": (id, body) =>
    decoded(SetReminderInput, body, (input) => Effect.flatMap(Reminders, (reminders) => reminders.set(id, input))),
  "reminders.setAtPlace": (id, place) =>
    Effect.flatMap(Reminders, (reminders) => reminders.setAtPlace(id, { place, trigger: "leave" })),
  "reminders.remove": (id) => Effect.flatMap(Reminders, (reminders) => reminders.remove(id)),
  "reminders.upcoming": () => Effect.flatMap(Reminders, (reminders) => reminders.upcoming),
  "reminders.between": (range: ReminderRange) => Effect.flatMap(Reminders, (reminders) => reminders.between(range)),
  "reminders.occurrences": (id) => Effect.flatMap(Reminders, (reminders) => reminders.occurrences(id, 5)),
  "places.list": () => Effect.flatMap(Places, (places) => places.list),
  "places.save": (body) =>
    decoded(SavePlaceInput, body, (input) => Effect.flatMap(Places, (places) => places.save(input))),
  "places.remove": (id) => Effect.flatMap(Places, (places) => places.remove(id)),
  "search.search": (text) => decoded(Name, text, (query) => Effect.flatMap(Search, (search) => search.search(query))),
  "search.fetch": (id) => Effect.flatMap(Search, (search) => search.fetch(id)),
  "tags.list": () => Effect.flatMap(Tags, (tags) => tags.list),
  "accounts.update": (patch: AccountPatch) =>
    Effect.flatMap(Effect.all([Accounts, Caller]), ([accounts, caller]) => accounts.update(caller.account.id, patch)),
  failing: (body) =>
    Effect.flatMap(Effect.all([Storage, Caller]), ([storage, caller]) =>
      storage.transact(caller.account.id, () =>
        Effect.andThen(createThing(body), Effect.fail(new Conflict({ message: "taken back" })))
      )
    ),
  "records.once": (key, body) =>
    Effect.flatMap(IdempotencyRecords, (records) =>
      records.once(
        key,
        JSON.stringify(body),
        Effect.map(createThing(body), (thing) => JSON.stringify(thing))
      )
    )
}
