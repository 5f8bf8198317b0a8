import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { refusing, repeated } from "../../src/connection/Refusals.ts"

const operation = "execute"
const broken = new SqlError({ reason: new ConnectionError({ cause: new Error("socket closed"), operation }) })
const refusedWith = (code: string) =>
  new SqlError({
    reason: new UnknownError({ cause: Object.assign(new Error("refused"), { code, severity: "ERROR" }), operation })
  })
const rolledBack = refusedWith("40001")

const refuse = refusing({ report: () => Effect.void, begin: Effect.void })

/** A statement that fails so many times; gives its outcome and how often it was sent. */
const sent = (failure: SqlError, times: number, writes: boolean) => {
  let count = 0
  const statement = Effect.suspend(() => (++count <= times ? Effect.fail(failure) : Effect.succeed("applied")))
  return Effect.map(
    Effect.match(repeated(statement, writes, refuse), {
      onFailure: ({ outcome }) => outcome as string,
      onSuccess: (answer) => answer
    }),
    (outcome) => [outcome, count]
  )
}

describe("a single statement", () => {
  it.live("that writes is not repeated after its connection broke: it may have been applied", () =>
    Effect.gen(function* () {
      expect(yield* sent(broken, 1, true)).toStrictEqual(["unknown", 1])
    })
  )

  it.live("that reads is repeated once after its connection broke", () =>
    Effect.gen(function* () {
      expect(yield* sent(broken, 1, false)).toStrictEqual(["applied", 2])
      expect(yield* sent(broken, 2, false)).toStrictEqual(["not-applied", 2])
    })
  )

  it.live("is repeated up to five times after the server rolled it back, since it changed nothing", () =>
    Effect.gen(function* () {
      expect(yield* sent(rolledBack, 5, true)).toStrictEqual(["applied", 6])
      expect(yield* sent(rolledBack, 6, true)).toStrictEqual(["not-applied", 6])
    })
  )
})

describe("the error of a refused statement", () => {
  for (const [state, said] of [
    ["55P03", "Another change, which takes long, holds what this one needs"],
    ["57014", "The storage did not get this done in time"],
    ["53300", "The storage has no connection left for this"],
    ["53100", "The server's disk is full"],
    ["25006", "The storage cannot be reached right now"]
  ] as const)
    it.effect(`says what ${state} means, and that nothing was changed`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(refuse(refusedWith(state), "unknown"))
        expect(message).toContain(`${said}; nothing was changed.`)
      })
    )
})
