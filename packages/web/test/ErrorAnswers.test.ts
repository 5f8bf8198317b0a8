import {
  Forbidden,
  Overloaded,
  RateLimited,
  StorageUnavailable,
  Unauthorized
} from "@lists-and-things/domain/model/Errors"
import { describe, expect, it } from "@effect/vitest"
import { answerFor, methodNotAllowed, refused } from "../src/ErrorAnswers.ts"
import { mcpUrlOf, resourceMetadataUrlOf } from "../src/BaseUrl.ts"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const now = EpochMillis(1_000_000)

describe("the answer for an error", () => {
  it("has Retry-After: until the end of the window but at least a second, or one second", () => {
    const over = (resetAt: EpochMillis) => answerFor(new RateLimited({ limit: 3, resetAt }), now)
    expect(over(addMillis(now, 1_500))).toStrictEqual({
      status: 429,
      headers: {
        "x-ratelimit-limit": "3",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1002",
        "retry-after": "2"
      }
    })
    expect(over(addMillis(now, -5_000)).headers).toMatchObject({ "retry-after": "1" })
    const soon = { status: 503, headers: { "retry-after": "1" } }
    expect(answerFor(new Overloaded(), now)).toStrictEqual(soon)
    expect(answerFor(new StorageUnavailable({ outcome: "not-applied" }), now)).toStrictEqual(soon)
  })

  it("has no Retry-After for a full disk", () => {
    expect(answerFor(new StorageUnavailable({ outcome: "not-applied", full: true }), now)).toStrictEqual({
      status: 507
    })
  })

  it("has the headers of challenges, of allowed methods, and of a connection that closes", () => {
    expect(answerFor(new Unauthorized(), now).headers).toStrictEqual({
      "www-authenticate": 'Bearer realm="Lists and Things"'
    })
    expect(answerFor(new Unauthorized({ isInvalid: true }), now).headers).toStrictEqual({
      "www-authenticate": 'Bearer realm="Lists and Things", error="invalid_token"'
    })
    expect(answerFor(new Forbidden({ scopes: ["write:lists"] }), now)).toStrictEqual({
      status: 403,
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="write:lists"' }
    })
    expect(answerFor(methodNotAllowed(["POST", "OPTIONS"]), now)).toStrictEqual({
      status: 405,
      headers: { allow: "POST, OPTIONS" }
    })
    expect(answerFor(refused(413, "Too large.", { close: true }), now).headers).toStrictEqual({ connection: "close" })
  })
})

it.each([
  ["http://localhost:3000", "http://localhost:3000/.well-known/oauth-protected-resource/mcp"],
  ["https://example.com/lists", "https://example.com/.well-known/oauth-protected-resource/lists/mcp"]
])("the tools of %s have their metadata at %s", (site, metadata) => {
  expect([mcpUrlOf(site), resourceMetadataUrlOf(site)]).toStrictEqual([`${site}/mcp`, metadata])
})
