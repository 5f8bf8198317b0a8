import { Layer } from "effect"
import { Accounts } from "./caller/Accounts.ts"
import { ApiKeys } from "./caller/ApiKeys.ts"
import { PasswordLinks } from "./caller/PasswordLinks.ts"
import { IdempotencyRecords } from "./caller/IdempotencyRecords.ts"
import { DayLists } from "./targets/DayLists.ts"
import { Changes } from "./history/Changes.ts"
import { ChangeWaiters } from "./history/ChangeWaiters.ts"
import { DryRuns } from "./history/DryRuns.ts"
import { ListChanges } from "./history/ListChanges.ts"
import { Operations } from "./history/Operations.ts"
import { Undo } from "./history/Undo.ts"
import { Ids } from "./model/Ids.ts"
import { Lists } from "./lists/Lists.ts"
import { ListTarget } from "./targets/ListTarget.ts"
import { ThingTarget } from "./targets/ThingTarget.ts"
import { EntityTags } from "./preconditions/EntityTags.ts"
import { Preconditions } from "./preconditions/Preconditions.ts"
import { Places } from "./places/Places.ts"
import { CalendarFeed } from "./reminders/CalendarFeed.ts"
import { Reminders } from "./reminders/Reminders.ts"
import { Capacity } from "./size/Capacity.ts"
import { AttemptLimiter } from "./signin/AttemptLimiter.ts"
import { Search } from "./search/Search.ts"
import { Tags } from "./tags/Tags.ts"
import { BulkThings } from "./things/BulkThings.ts"
import { ThingUpdater } from "./things/ThingUpdater.ts"
import { Duplicates } from "./things/Duplicates.ts"
import { Families } from "./targets/Families.ts"
import { Insertion } from "./things/Insertion.ts"
import { Nesting } from "./things/Nesting.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { Things } from "./things/Things.ts"

/** Every use case over the ports; a composition root provides the adapter. */
export const useCases = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  PasswordLinks.layer,
  IdempotencyRecords.layer,
  Lists.layer,
  Things.layer,
  Layer.provideMerge(Nesting.layer, BulkThings.layer),
  Search.layer,
  ThingTarget.layer,
  Tags.layer,
  Places.layer,
  Operations.layer,
  DryRuns.layer,
  Changes.layer,
  ListChanges.layer,
  Webhooks.layer,
  Layer.provide(CalendarFeed.layer, [Accounts.layer, AttemptLimiter.layer])
).pipe(
  Layer.provideMerge(Layer.provideMerge(Preconditions.layer, EntityTags.layer)),
  Layer.provideMerge(Layer.mergeAll(Reminders.layer, Undo.layer, ChangeWaiters.layer)),
  Layer.provide(Layer.mergeAll(Insertion.layer, ThingUpdater.layer, Duplicates.layer, ListTarget.layer)),
  Layer.provideMerge(Layer.mergeAll(Families.layer, DayLists.layer, Capacity.layer)),
  Layer.provideMerge(Ids.layer)
)
