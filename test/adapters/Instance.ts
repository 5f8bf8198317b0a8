import { createHash } from "node:crypto"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { epoch, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type EntityKey, type Operation, writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import { type EntityChanges, HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { List } from "@lists-and-things/domain/model/List"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import type { Size } from "@lists-and-things/domain/model/Size"
import { defaultLimits, type Limits, SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { at } from "@lists-and-things/testing/Fixtures"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { callBy, CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { Announcements } from "@lists-and-things/domain/webhooks/Announcements"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import type { Webhook } from "@lists-and-things/domain/model/Webhook"
import { useCases } from "@lists-and-things/domain/UseCases"
import { Crypto, Effect, Layer, ManagedRuntime } from "effect"
import type { Ports } from "@lists-and-things/storage-pg/PgStorage"
import type { Command } from "./Commands.ts"
import { callerOperations } from "./CallerOperations.ts"
import { Kept, storage } from "./Operations.ts"
import { callerOf } from "@lists-and-things/testing/AsOwner"

/** All data of one owner. */
export interface Dump {
  readonly account: Account
  readonly lists: ReadonlyArray<List>
  readonly things: ReadonlyArray<Thing>
  readonly reminders: ReadonlyArray<Reminder>
  readonly places: ReadonlyArray<SavedPlace>
  readonly webhooks: ReadonlyArray<Webhook>
  /** Sizes as they are counted: that of the account, then of each list. */
  readonly sizes: ReadonlyArray<Size>
  /** Newest first, with their changes and the keys of the entities concerned, without their random ids. */
  readonly operations: ReadonlyArray<RecordedOperation>
}

interface RecordedOperation extends Omit<Operation, "id" | "undoes" | "undoneBy"> {
  readonly undoes: EpochMillis | null | undefined
  readonly undoneBy: EpochMillis | null | undefined
  readonly changes: EntityChanges | undefined
  readonly keys: ReadonlyArray<EntityKey>
}

/** The use cases over one storage adapter, with random ids that are the same in every instance of a seed. */
export const makeInstance = <E>(ports: Layer.Layer<Ports, E>, limits: Limits = defaultLimits) => {
  const random = { seed: "", next: 0 }
  /**
   * Times of the operations of which an answer has been seen, by id. A delivery may show operations that are pruned by
   * now.
   */
  const operations = new Map<string, EpochMillis>()
  const crypto = Crypto.make({
    randomBytes: (size) =>
      createHash("shake256", { outputLength: size })
        .update(`${random.seed} ${random.next++}`)
        .digest(),
    digest: (_, data) => Effect.succeed(createHash("sha256").update(data).digest())
  })
  const runtime = ManagedRuntime.make(
    Announcements.layer.pipe(
      Layer.provideMerge(useCases),
      Layer.provideMerge(Layer.succeed(Kept, { cursors: new Map(), tokens: new Map() })),
      Layer.provideMerge(ports),
      Layer.provideMerge(Layer.succeed(Crypto.Crypto, crypto)),
      Layer.provide(Layer.succeed(SizeLimits, limits))
    )
  )
  return {
    /** Creates two accounts; what follows does not depend on earlier runs. */
    begin: (seed: string, now: number): Promise<readonly [Account, Account]> => {
      Object.assign(random, { seed, next: 0 })
      operations.clear()
      const create = (name: string) =>
        Effect.flatMap(Accounts, (accounts) =>
          accounts.create({ email: `${name}-${seed}@example.com`, timezone: "Europe/Berlin" })
        )
      return runtime.runPromise(at(now)(Effect.all([create("a"), create("b")])))
    },
    /** Generates other ids from here on than an instance with another seed. */
    reseed: (seed: string): void => {
      Object.assign(random, { seed, next: 0 })
    },
    /** The answer of the command, or its error, as JSON. */
    run: (owner: string, command: Asked, now: number): Promise<string> =>
      runtime.runPromise(at(now)(answer(owner, command, operations))),
    /** Removes an account with all its data. */
    remove: (owner: string): Promise<unknown> =>
      runtime.runPromise(Effect.flatMap(Accounts, (accounts) => accounts.remove(owner))),
    dump: (owner: string): Promise<Dump> => runtime.runPromise(dump(owner)),
    dispose: (): Promise<void> => runtime.dispose()
  }
}

export type Instance = ReturnType<typeof makeInstance>

type Asked = Pick<Command, "args" | "by" | "operation">

const answer = Effect.fnUntraced(function* (
  owner: string,
  { operation, args, by = "key" }: Asked,
  operations: Map<string, EpochMillis>
) {
  const account = yield* Effect.flatMap(Accounts, (accounts) => accounts.get(owner))
  const caller: Caller["Service"] = { ...callerOf(account), by: { type: "key", id: by, name: by } }
  const call = callBy(caller, operation, "rest")
  const found = yield* (storage[operation] ?? callerOperations[operation])!(...(args as ReadonlyArray<never>)).pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(CurrentOperation, call),
    Effect.match({
      onSuccess: (value) => ({ value }),
      onFailure: (error) => ({ error: { ...error, _tag: error._tag, message: error.message } })
    })
  )
  const { items } = yield* Effect.flatMap(HistoryStore, (history) => history.page(account.id, {}, 0, max))
  const named = JSON.stringify({ ...found, notice: call.notice, recorded: call.recorded })
  // Replaces also the ids of operations that were pruned.
  const undos = named.replaceAll(/("undo(?:es|neBy)":")([^"]+)/g, (_, field, id) => `${field}${writeTimestampOf(id)}`)
  for (const { at, id } of items) operations.set(id, at)
  return undos.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => `${operations.get(id) ?? id}`)
})

const dump = Effect.fnUntraced(function* (owner: string) {
  const account = yield* Effect.flatMap(Accounts, (accounts) => accounts.get(owner))
  const lists = yield* Effect.flatMap(ListStore, (store) => store.all(account.id))
  const byList = yield* Effect.flatMap(ThingStore, (store) =>
    Effect.forEach(lists, (list) => store.ofList(account.id, list.id))
  )
  const reminders = yield* Effect.flatMap(ReminderStore, (store) => store.all(account.id))
  const places = yield* Effect.flatMap(PlaceStore, (store) => store.all(account.id))
  const ids = lists.map((list) => list.id)
  const sizes = yield* Effect.flatMap(SizeStore, (store) => store.sizes(account.id, ids))
  return {
    account,
    lists,
    things: byList.flat(),
    reminders: reminders.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1)),
    places,
    webhooks: yield* Effect.flatMap(WebhookStore, (store) => store.list(account.id)),
    sizes: [sizes.account, ...ids.map((id) => sizes.lists.get(id)!)],
    operations: yield* recorded(account.id)
  }
})

/** A limit beyond what any test makes. */
const max = 10_000

const recorded = Effect.fnUntraced(function* (owner: AccountId) {
  const history = yield* HistoryStore
  const following = yield* history.following(owner, epoch, 0, max)
  const keys = new Map(following.map((operation) => [operation.id, operation.keys]))
  const { items } = yield* history.page(owner, {}, 0, max)
  return yield* Effect.forEach(items, ({ id, ...operation }) =>
    Effect.map(history.entities(owner, operation.at, max), (changes) => ({
      ...operation,
      undoes: operation.undoes && writeTimestampOf(operation.undoes),
      undoneBy: operation.undoneBy && writeTimestampOf(operation.undoneBy),
      changes,
      keys: keys.get(id)!
    }))
  )
})
