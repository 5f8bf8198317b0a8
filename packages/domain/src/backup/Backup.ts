import { Context, Effect, Layer, Option, Stream } from "effect"
import { type Caller, callerWith } from "../model/Caller.ts"
import type { AccessError, StorageUnavailable } from "../model/Errors.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { Storage } from "../ports/Storage.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import type { BackupContent } from "./BackupContent.ts"
import { currentTime } from "../model/EpochMillis.ts"
import { inSpan } from "../scheduling/Traced.ts"

/** Records held in memory at a time. */
const batchSize = 500

/** Reads everything an account owns as of one moment, without blocking writers. */
export class Backup extends Context.Service<
  Backup,
  {
    /** Passes the content to `use` within a snapshot of the storage; the streams must not outlive it. */
    readonly read: <A, E, R>(
      use: (content: BackupContent) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | AccessError, R | Caller>
  }
>()("@lists-and-things/domain/backup/Backup") {
  static readonly layer = Layer.effect(
    Backup,
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const things = yield* ThingStore
      const reminders = yield* ReminderStore
      const places = yield* PlaceStore
      const webhooks = yield* WebhookStore

      const read = <A, E, R>(use: (content: BackupContent) => Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const { account } = yield* callerWith("read:lists", "read:things")
          const { id: owner } = account
          const content = Effect.gen(function* (): Effect.fn.Return<BackupContent, StorageUnavailable> {
            return {
              account,
              taken: yield* currentTime,
              places: yield* places.all(owner),
              lists: yield* lists.all(owner),
              thingsOf: (list) => batches((last) => things.ofListAfter(owner, list.id, last, batchSize)),
              reminders: batches((last) => reminders.after(owner, last?.thingId, batchSize)),
              webhooks: yield* webhooks.list(owner)
            }
          })
          return yield* storage.snapshot(owner, Effect.flatMap(content, use))
        }).pipe(inSpan("Backup.read"))

      return Backup.of({ read })
    })
  )
}

/** Reads batch by batch, each after the last record of the one before, until nothing is left. */
const batches = <A, E>(
  after: (last: A | undefined) => Effect.Effect<ReadonlyArray<A>, E>
): Stream.Stream<ReadonlyArray<A>, E> =>
  Stream.paginate(undefined as A | undefined, (last) =>
    Effect.map(
      after(last),
      (batch) =>
        [
          batch.length === 0 ? [] : [batch],
          batch.length < batchSize ? Option.none() : Option.some(batch.at(-1))
        ] as const
    )
  )
