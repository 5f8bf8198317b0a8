import { Context, Effect, Layer } from "effect"
import { formatTime, instantOf } from "../days/IsoTime.ts"
import { Caller } from "../model/Caller.ts"
import { type NotFound, PreconditionFailed, type StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { ListStore } from "../ports/ListStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore, type ThingWithReminder } from "../ports/ThingStore.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { EntityTags } from "./EntityTags.ts"

/** What a write is about. */
export interface Subject {
  readonly kind: "list" | "thing"
  readonly id: string
  /** Removing what is not there succeeds without a precondition, and fails it otherwise; other writes are `NotFound`. */
  readonly isRemoval: boolean
}

/** `*`: that it exists; otherwise it must have one of these entity tags. */
export type ExpectedTags = "*" | ReadonlyArray<string>

type PreconditionError = NotFound | PreconditionFailed | StorageUnavailable

/** Writes that are made only when their subject still is as the client has seen it (docs/decisions.md#preconditions). */
export class Preconditions extends Context.Service<
  Preconditions,
  {
    /** Compares within the transaction of the write. Weak tags never match. */
    readonly ifMatch: <A, E, R>(
      subject: Subject,
      expected: ExpectedTags,
      write: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | PreconditionError, R | Caller>
    /**
     * Whether `ifMatch` holds for a thing that was read before; for writes that compare thing and reminder again. False
     * for a reminder at a place, since its tag also depends on the place.
     */
    readonly isMatch: (
      found: ThingWithReminder,
      expected: ExpectedTags
    ) => Effect.Effect<boolean, StorageUnavailable, Caller>
    /** Compares a thing's `updated` with the time that a client has seen; the failure has the thing as it is now. */
    readonly ifUpdated: <A, E, R>(
      subject: Subject,
      seen: string,
      write: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | PreconditionError, R | Caller>
  }
>()("@lists-and-things/domain/preconditions/Preconditions") {
  static readonly layer = Layer.effect(
    Preconditions,
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const things = yield* ThingStore
      const tags = yield* EntityTags
      const unknownIds = yield* makeUnknownIds

      const within = <A, E, R, E2, R2>(
        check: (owner: AccountId) => Effect.Effect<void, E2, R2>,
        write: Effect.Effect<A, E, R>
      ) =>
        Effect.flatMap(Caller, ({ account }) =>
          storage.transact(account.id, () => Effect.andThen(check(account.id), write))
        )

      const missing = (owner: AccountId, { id, isRemoval, kind }: Subject) =>
        isRemoval
          ? Effect.fail(new PreconditionFailed({ message: `This ${kind} does not exist any more.` }))
          : unknownIds.notFound(owner, kind, id)

      const tagOf = Effect.fnUntraced(function* (owner: AccountId, subject: Subject) {
        if (subject.kind === "list") {
          const list = (yield* lists.get(owner, subject.id)) ?? (yield* missing(owner, subject))
          return yield* tags.ofCurrentList(list)
        }
        return yield* tagOfThing((yield* things.withReminder(owner, subject.id)) ?? (yield* missing(owner, subject)))
      })

      const tagOfThing = ({ reminder, thing }: ThingWithReminder) => tags.ofThing(thing, reminder ?? null)

      const isMatch = (found: ThingWithReminder, expected: ExpectedTags) =>
        found.reminder?.trigger._tag === "Place"
          ? Effect.succeed(false)
          : Effect.map(tagOfThing(found), (tag) => isAmong(tag, expected))

      const ifMatch = <A, E, R>(subject: Subject, expected: ExpectedTags, write: Effect.Effect<A, E, R>) =>
        within(
          Effect.fnUntraced(function* (owner: AccountId) {
            const tag = yield* tagOf(owner, subject)
            if (!isAmong(tag, expected))
              return yield* new PreconditionFailed({ message: mismatch(subject.kind, tag, expected), tag })
          }),
          write
        )

      const ifUpdated = <A, E, R>(subject: Subject, seen: string, write: Effect.Effect<A, E, R>) =>
        within(
          Effect.fnUntraced(function* (owner: AccountId) {
            const { account } = yield* Caller
            const thing = (yield* things.get(owner, subject.id)) ?? (yield* missing(owner, subject))
            if (thing.updated !== instantOf(seen, account.timezone))
              return yield* new PreconditionFailed({
                message: `This thing was changed at ${formatTime(thing.updated)}, after you saw it.`,
                thing
              })
          }),
          write
        )

      return Preconditions.of({ ifMatch, isMatch, ifUpdated })
    })
  )
}

const isAmong = (tag: string, expected: ExpectedTags): boolean => expected === "*" || expected.includes(tag)

/** A proxy that compresses makes tags weak: reading again would not help. */
const mismatch = (kind: Subject["kind"], tag: string, expected: ExpectedTags): string =>
  expected.includes(`W/${tag}`)
    ? `A weak entity tag never matches: repeat the request with If-Match: ${tag}, without W/.`
    : changedSince(kind)

/** The message when `If-Match` names an earlier state. */
export const changedSince = (kind: Subject["kind"]): string =>
  `This ${kind} has changed since: read it again, and repeat the request with its new ETag.`
