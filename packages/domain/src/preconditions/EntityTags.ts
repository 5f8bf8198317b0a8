import { Base64Url } from "effect/encoding"
import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import { todayIn } from "../days/Day.ts"
import { thingViewJson } from "../json/ThingJson.ts"
import type { Account } from "../model/Account.ts"
import { Caller } from "../model/Caller.ts"
import { currentTime } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { productVersion } from "../model/ProductVersion.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Reminders } from "../reminders/Reminders.ts"
import type { ThingView } from "../things/Things.ts"

/** An answer as it is sent, and its entity tag, quoted. */
export interface TaggedBody {
  readonly body: Uint8Array
  readonly tag: string
}

/** Bytes of a hash in a tag. */
const tagBytes = 16

/**
 * Entity tags: equal for answers that show the same (docs/decisions.md#preconditions). They include the quotes, as in
 * HTTP.
 */
export class EntityTags extends Context.Service<
  EntityTags,
  {
    /** The answer of `GET /things/{id}` in JSON, with its tag, which is a hash of it. */
    readonly ofView: (view: ThingView) => Effect.Effect<TaggedBody>
    /** The tag of a thing with this reminder; null for none, and read where it is not given. */
    readonly ofThing: (thing: Thing, reminder?: Reminder | null) => Effect.Effect<string, StorageUnavailable, Caller>
    /** Of `GET /lists/{id}`. What is read of the list's content must be read after `updated`, or be of the same write. */
    readonly ofList: (
      list: Pick<List, "updated">,
      maxText?: number
    ) => Effect.Effect<string, StorageUnavailable, Caller>
    /** Like `ofList`, by the settings as the fiber's transaction sees them. */
    readonly ofCurrentList: (list: Pick<List, "updated">) => Effect.Effect<string, StorageUnavailable, Caller>
    /** A weak tag of all that the account has, as it was when the request was admitted. */
    readonly ofAccount: Effect.Effect<string, StorageUnavailable, Caller>
  }
>()("@lists-and-things/domain/preconditions/EntityTags") {
  static readonly layer = Layer.effect(
    EntityTags,
    Effect.gen(function* () {
      const crypto = yield* Crypto.Crypto
      const history = yield* HistoryStore
      const things = yield* ThingStore
      const reminders = yield* Reminders

      const ofView = (view: ThingView): Effect.Effect<TaggedBody> => {
        const body = new TextEncoder().encode(JSON.stringify(thingViewJson(view)))
        return Effect.map(Effect.orDie(crypto.digest("SHA-256", body)), (digest) => ({
          body,
          tag: `"${Base64Url.encode(digest.subarray(0, tagBytes))}"`
        }))
      }

      const tagOf = (view: ThingView) => Effect.map(ofView(view), ({ tag }) => tag)

      const ofThing = (thing: Thing, known?: Reminder | null) =>
        known === null ? tagOf({ thing, reminder: null }) : ofReminded(thing, known)

      const ofReminded = Effect.fnUntraced(function* (thing: Thing, known: Reminder | undefined) {
        const reminder = known ?? (yield* reminderOf(thing))
        const [view] = reminder === null ? [] : yield* reminders.viewsOf(thing.owner, [thing], [reminder])
        return yield* tagOf({ thing, reminder: view ?? null })
      })

      const reminderOf = (thing: Thing) =>
        Effect.map(things.withReminder(thing.owner, thing.id), (found) => found?.reminder ?? null)

      const ofList = Effect.fnUntraced(function* (list: Pick<List, "updated">, maxText?: number) {
        const { account, stamps } = yield* Caller
        const settings = stamps?.settingsChanged ?? (yield* history.settingsChanged(account.id))
        return yield* listTag(list, account, settings, maxText)
      })

      const ofCurrentList = Effect.fnUntraced(function* (list: Pick<List, "updated">) {
        const { account } = yield* Caller
        return yield* listTag(list, account, yield* history.settingsChanged(account.id))
      })

      const lastWriteOf = (owner: AccountId) => Effect.map(history.head(owner), ({ at }) => at)

      const ofAccount = Effect.gen(function* () {
        const { account, stamps } = yield* Caller
        const lastWrite = stamps?.lastWrite ?? (yield* lastWriteOf(account.id))
        return `W/"${yield* stateOf(account, lastWrite)}"`
      })

      return EntityTags.of({ ofView, ofThing, ofList, ofCurrentList, ofAccount })
    })
  )
}

/** The parts of a tag that is no hash: times of changes, the date in the account's zone, and the product's version. */
const stateOf = (account: Account, ...stamps: ReadonlyArray<number>): Effect.Effect<string> =>
  Effect.map(currentTime, (now) =>
    [...stamps.map((stamp) => stamp.toString(36)), todayIn(account.timezone, now), productVersion].join(".")
  )

const listTag = (
  { updated }: Pick<List, "updated">,
  account: Account,
  settingsChanged: number,
  maxText?: number
): Effect.Effect<string> =>
  Effect.map(
    stateOf(account, updated, settingsChanged),
    (state) => `"${state}${maxText === undefined ? "" : `.${maxText}`}"`
  )
