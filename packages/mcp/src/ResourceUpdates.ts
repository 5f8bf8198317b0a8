import type { ServerEvent } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { dayWords, parseDay, todayIn } from "@lists-and-things/domain/days/Day"
import { ListChanges, type ListsChanged } from "@lists-and-things/domain/history/ListChanges"
import { Caller, callerWith, type Refusal } from "@lists-and-things/domain/model/Caller"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type TooManyWaiting, Unauthorized } from "@lists-and-things/domain/model/Errors"
import type { Session } from "./Authenticator.ts"

/** Publishes an event to the clients that subscribed to it. */
export type Publish = (event: ServerEvent) => void

/** The point in time from which `followResources` publishes every change. Requires `read:lists`. */
export const beginResources = (
  admitted: ReturnType<Session["admit"]>
): Effect.Effect<EpochMillis, Refusal | TooManyWaiting, ListChanges> =>
  Effect.flatMap(admitted, (caller) =>
    Effect.flatMap(ListChanges, (changes) => changes.begin).pipe(Effect.provideService(Caller, caller))
  )

/**
 * Publishes the updates of the caller's resources since a point returned by `beginResources`, and within half a minute
 * that the day words mean other dates, at midnight or in another time zone. Ends when this process is about to stop,
 * and when the credential is revoked or loses its scope.
 */
export const followResources = Effect.fnUntraced(
  function* (identify: Session["identify"], since: EpochMillis, publish: Publish) {
    const changes = yield* ListChanges
    const { account, by } = yield* identify
    let zone = account.timezone
    let today = todayIn(zone, yield* currentTime)
    const allowed = Effect.gen(function* () {
      const caller = yield* identify
      yield* callerWith("read:lists").pipe(Effect.provideService(Caller, caller))
      zone = caller.account.timezone
      const date = todayIn(zone, yield* currentTime)
      if (date === today) return
      today = date
      for (const event of dayWords.flatMap((word) => updated(`day://${word}`))) publish(event)
    }).pipe(Effect.catchTag("Forbidden", () => Effect.fail(new Unauthorized())))
    yield* changes.follow({
      owner: account.id,
      since,
      by,
      allowed,
      announce: (changed) =>
        Effect.map(currentTime, (now) => {
          for (const event of updatesOf(changed, zone, now)) publish(event)
        })
    })
  },
  (effect) => Effect.catch(effect, () => Effect.void)
)

/** A day list has several URIs: by id, by date, and by day word (such as `today`) if one names its date now. */
const updatesOf = (
  { days, ids, isListed }: ListsChanged,
  zone: string,
  now: EpochMillis
): ReadonlyArray<ServerEvent> => {
  const named = dayWords.filter((word) => days.has(parseDay(word, zone, now) ?? ""))
  const uris = [...Array.from(ids, (id) => `list://${id}`), ...[...days, ...named].map((day) => `day://${day}`)]
  const events = uris.flatMap(updated)
  return isListed ? [...events, { kind: "resources_list_changed" }] : events
}

/** With a slash at its end, a URI names the same resource, and a client is notified of the one that it subscribed to. */
const updated = (uri: string): ReadonlyArray<ServerEvent> =>
  [uri, `${uri}/`].map((spelling) => ({ kind: "resource_updated", uri: spelling }))
