import { expect, it } from "@effect/vitest"
import { rootCause, rootReason } from "../../src/model/RootCause.ts"

const refused = new Error("connect ECONNREFUSED 127.0.0.1:5432")

it.each([
  ["an error without a cause", refused],
  ["the last of several causes", new Error("a", { cause: new Error("b", { cause: refused }) })],
  ["the first of the errors of a host with several addresses", new AggregateError([refused, new Error("::1")])],
  ["the same as a cause", new Error("a", { cause: new AggregateError([refused], "") })],
  ["an error whose cause is not an error", Object.assign(refused, { cause: "x" })]
])("the root cause is %s", (_, error) => {
  expect(rootCause(error)).toBe(refused)
  expect(rootReason(error)).toBe("connect ECONNREFUSED 127.0.0.1:5432")
})

it("the root cause of an error that is its own cause is itself, and the reason of another value is its text", () => {
  const own = new Error("own")
  own.cause = own
  expect(rootCause(own)).toBe(own)
  expect(rootReason("thrown")).toBe("thrown")
  expect(rootReason(new AggregateError([]))).toBe("AggregateError")
})
