import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { Actor, Operation } from "@lists-and-things/domain/model/Operation"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Effect } from "effect"
import { expect } from "@effect/vitest"
import { signedIn } from "../signin/SignedIn.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The fields of an operation that describe the call that recorded it. */
export interface Expected extends Pick<Operation, "name" | "surface" | "requestId"> {
  readonly by: Actor
}

/** A server with all hosts, and a person with a browser session, a key and an app; observes what calls record. */
export const openObservedServer = async () => {
  const there = await signedIn()
  const { server, email } = there
  const owner = (await server.run(Effect.flatMap(Accounts, (accounts) => accounts.get(email)))).id
  const after = (at: EpochMillis | undefined) =>
    server.run(
      Effect.flatMap(HistoryStore, (history) => history.page(owner, at === undefined ? {} : { since: at }, 0, 500))
    )

  /** Makes a call; returns its answer and the operations that it recorded, newest first. */
  const watched = async <A>(
    call: () => Promise<A>
  ): Promise<{ readonly answer: A; readonly left: Array<Operation> }> => {
    const before = (await after(undefined)).items[0]?.at
    const answer = await call()
    return { answer, left: [...(await after(before)).items] }
  }

  const described = (left: ReadonlyArray<Operation>): ReadonlyArray<Expected> =>
    left.map(({ name, surface, requestId, by }) => ({ name, surface, requestId, by }))

  /** Makes a call that records exactly one operation. */
  const one = async <A>(call: () => Promise<A>, expected: Expected) => {
    const { answer, left } = await watched(call)
    expect(described(left)).toStrictEqual([expected])
    return { answer, operation: left[0]! }
  }

  /** Makes a call that changes nothing. */
  const none = async <A>(call: () => Promise<A>): Promise<A> => {
    const { answer, left } = await watched(call)
    expect(described(left)).toStrictEqual([])
    return answer
  }

  return { ...there, owner, one, none }
}
