import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { Actor, Operation } from "@lists-and-things/domain/model/Operation"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Effect } from "effect"
import { expect } from "@effect/vitest"
import { signedIn } from "../signin/SignedIn.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** What an operation must say of the call that left it. */
export interface Expected extends Pick<Operation, "name" | "surface" | "requestId"> {
  readonly by: Actor
}

/** A server with every host, a person there in a browser, with a key and an app, and what calls leave in their history. */
export const witness = async () => {
  const there = await signedIn()
  const { server, email } = there
  const owner = (await server.run(Effect.flatMap(Accounts, (accounts) => accounts.get(email)))).id
  const after = (at: EpochMillis | undefined) =>
    server.run(
      Effect.flatMap(HistoryStore, (history) => history.page(owner, at === undefined ? {} : { since: at }, 0, 500))
    )

  /** A call and the operations that it left, newest first. */
  const watched = async <A>(
    call: () => Promise<A>
  ): Promise<{ readonly answer: A; readonly left: Array<Operation> }> => {
    const before = (await after(undefined)).items[0]?.at
    const answer = await call()
    return { answer, left: [...(await after(before)).items] }
  }

  const described = (left: ReadonlyArray<Operation>): ReadonlyArray<Expected> =>
    left.map(({ name, surface, requestId, by }) => ({ name, surface, requestId, by }))

  /** Makes a call that leaves exactly one operation. */
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
