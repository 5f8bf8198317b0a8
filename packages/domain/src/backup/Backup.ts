import { Clock, Context, Effect, Layer } from "effect"
import { type Caller, callerWith } from "../caller/Caller.ts"
import type { Forbidden, NotFound, StorageUnavailable } from "../Errors.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import type { BackupContent } from "./BackupContent.ts"

/** Reads everything of an account at one moment: no write of the account comes in between. */
export class Backup extends Context.Service<
  Backup,
  {
    readonly take: Effect.Effect<BackupContent, Forbidden | NotFound | StorageUnavailable, Caller>
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

      const take = Effect.gen(function* () {
        const { account } = yield* callerWith("read:lists")
        yield* callerWith("read:things")
        const taken = yield* Clock.currentTimeMillis
        const read = Effect.fnUntraced(function* () {
          const all = yield* lists.all(account.id)
          const ofLists = yield* Effect.forEach(all, (list) => things.ofList(account.id, list.id))
          const kept = yield* reminders.all(account.id)
          return {
            account,
            places: yield* places.all(account.id),
            lists: all,
            things: ofLists.flat(),
            reminders: kept.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1)),
            taken
          }
        })
        return yield* storage.transact(account.id, read)
      }).pipe(Effect.withSpan("Backup.take"))

      return Backup.of({ take })
    })
  )
}
