import { expect, it } from "@effect/vitest"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import type * as PgStorage from "../src/PgStorage.ts"
import { NodeCrypto } from "@effect/platform-node"
import { useCases } from "@lists-and-things/domain/UseCases"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { suite as accounts } from "@lists-and-things/testing/AccountStoreSuite"
import { suite as bulkThings } from "@lists-and-things/testing/BulkThingsSuite"
import { suite as changes } from "@lists-and-things/testing/ChangesSuite"
import { suite as clockSkew } from "@lists-and-things/testing/ClockSkewSuite"
import { suite as completion } from "@lists-and-things/testing/CompletionSuite"
import { suite as concurrentWrites } from "@lists-and-things/testing/ConcurrentWritesSuite"
import { suite as everyWrite } from "@lists-and-things/testing/EveryWriteSuite"
import { suite as historyPruning } from "@lists-and-things/testing/HistoryPruningSuite"
import { suite as historyMerging } from "@lists-and-things/testing/HistoryMergingSuite"
import { suite as historyOfMany } from "@lists-and-things/testing/HistoryManySuite"
import { suite as historyReads } from "@lists-and-things/testing/HistoryReadSuite"
import { suite as history } from "@lists-and-things/testing/HistoryStoreSuite"
import { suite as idempotency } from "@lists-and-things/testing/IdempotencyStoreSuite"
import { suite as admission } from "@lists-and-things/testing/KeyAdmissionSuite"
import { suite as keys } from "@lists-and-things/testing/KeyStoreSuite"
import { suite as listQueries } from "@lists-and-things/testing/ListQuerySuite"
import { suite as lists } from "@lists-and-things/testing/ListStoreSuite"
import { suite as useCaseLists } from "@lists-and-things/testing/ListsSuite"
import { suite as operations } from "@lists-and-things/testing/OperationsSuite"
import { suite as places } from "@lists-and-things/testing/PlaceStoreSuite"
import { suite as reminderQueries } from "@lists-and-things/testing/ReminderQuerySuite"
import { suite as reminders } from "@lists-and-things/testing/ReminderStoreSuite"
import { suite as reminderViews } from "@lists-and-things/testing/ReminderViewsSuite"
import { suite as useCaseReminders } from "@lists-and-things/testing/RemindersSuite"
import { suite as signIn } from "@lists-and-things/testing/SignInStoresSuite"
import { smallLimits, suite as sizeLimits } from "@lists-and-things/testing/SizeLimitsSuite"
import { suite as sizes, suiteLimits } from "@lists-and-things/testing/SizeStoreSuite"
import { suite as servers } from "@lists-and-things/testing/ServerStoreSuite"
import { suite as admin } from "@lists-and-things/testing/StorageAdminSuite"
import { suite as storage } from "@lists-and-things/testing/StorageSuite"
import { suite as appending } from "@lists-and-things/testing/ThingAppendSuite"
import { suite as together } from "@lists-and-things/testing/ThingBatchesSuite"
import { suite as keyed } from "@lists-and-things/testing/KeyedWritesSuite"
import { suite as thingOrder } from "@lists-and-things/testing/ThingOrderSuite"
import { suite as thingQueries } from "@lists-and-things/testing/ThingQuerySuite"
import { suite as thingSearch } from "@lists-and-things/testing/ThingSearchSuite"
import { suite as removing } from "@lists-and-things/testing/ThingRemovalSuite"
import { suite as revising } from "@lists-and-things/testing/ThingRevisionSuite"
import { suite as things } from "@lists-and-things/testing/ThingStoreSuite"
import { suite as useCaseThings } from "@lists-and-things/testing/ThingsSuite"
import { suite as thingTarget } from "@lists-and-things/testing/ThingTargetSuite"
import { suite as transactWith } from "@lists-and-things/testing/TransactWithSuite"
import { suite as undoHistories } from "@lists-and-things/testing/UndoHistoriesSuite"
import { suite as undoOfKey } from "@lists-and-things/testing/UndoOfKeySuite"
import { suite as undoRefusals } from "@lists-and-things/testing/UndoRefusalsSuite"
import { suite as undo } from "@lists-and-things/testing/UndoSuite"
import { suite as updateInOneStatement } from "@lists-and-things/testing/SingleStatementUpdateSuite"
import { suite as unknownIds } from "@lists-and-things/testing/UnknownIdSuite"
import { suite as webhookClocks } from "@lists-and-things/testing/WebhookClocksSuite"
import { suite as deliveries } from "@lists-and-things/testing/WebhookDeliveriesSuite"
import { suite as outcomes } from "@lists-and-things/testing/WebhookOutcomesSuite"
import { suite as webhooks } from "@lists-and-things/testing/WebhookStoreSuite"
import { suite as zoneChange } from "@lists-and-things/testing/ZoneChangeSuite"
import { Effect, Layer } from "effect"

type PortSuite = <E>(name: string, layer: Layer.Layer<PgStorage.Ports, E>) => void

/** Several suites on one database, one after the other. */
const inTurn =
  (...suites: ReadonlyArray<PortSuite>): PortSuite =>
  (name, layer) => {
    for (const suite of suites) suite(name, layer)
  }

/** The suites of the ports by database name: each needs a database in which nothing else writes. */
export const portSuites = {
  storage: inTurn(storage, concurrentWrites),
  transact_with: transactWith,
  accounts,
  keys: <E>(name: string, layer: Layer.Layer<PgStorage.Ports, E>, options = {}) => {
    keys(name, layer)
    admission(name, layer, options)
  },
  lists,
  listQueries,
  things,
  thingOrder,
  appending,
  revising,
  removing,
  together,
  keyed,
  thingQueries,
  thingSearch,
  reminders: inTurn(reminders, reminderQueries),
  places,
  idempotency,
  signIn,
  history,
  historyReads,
  historyMerging,
  historyOfMany,
  historyPruning,
  everyWrite,
  webhooks,
  deliveries: inTurn(deliveries, outcomes),
  webhook_clocks: webhookClocks,
  servers,
  admin,
  sizes: <E>(name: string, layer: Layer.Layer<PgStorage.Ports, E>) =>
    sizes(name, layer.pipe(Layer.provide(Layer.succeed(SizeLimits, suiteLimits))))
}

/** The suites of behaviour; they may share a database. */
export const useCaseSuites = <E>(name: string, ports: Layer.Layer<PgStorage.Ports, E>, options = {}): void => {
  const layer = useCases.pipe(Layer.provideMerge(ports), Layer.provideMerge(NodeCrypto.layer))
  useCaseLists(name, layer)
  useCaseThings(name, layer)
  bulkThings(name, layer)
  completion(name, layer)
  useCaseReminders(name, layer)
  reminderViews(name, layer)
  clockSkew(name, layer)
  sizeLimits(name, layer.pipe(Layer.provide(Layer.succeed(SizeLimits, smallLimits))), options)
  zoneChange(name, layer)
  unknownIds(name, layer)
  thingTarget(name, layer)
  updateInOneStatement(name, layer, options)
}

/** To be run after the suites of behaviour, on their shared database. */
export const referencesKept = <E>(name: string, ports: Layer.Layer<PgStorage.Ports, E>): void => {
  it.live(`${name}: no use case left a dangling reference`, () =>
    Effect.gen(function* () {
      const admin = yield* StorageAdmin
      expect((yield* admin.stats()).things).toBeGreaterThan(0)
      expect(yield* admin.orphans).toStrictEqual([])
    }).pipe(Effect.provide(ports), Effect.orDie)
  )
}

export const historySuites = <E>(name: string, ports: Layer.Layer<PgStorage.Ports, E>, steps = 40): void => {
  const layer = useCases.pipe(Layer.provideMerge(ports), Layer.provideMerge(NodeCrypto.layer))
  operations(name, layer)
  undo(name, layer)
  undoOfKey(name, layer)
  undoRefusals(name, layer)
  undoHistories(name, layer, { histories: 2, steps })
  changes(name, layer, { histories: 3, steps })
}
