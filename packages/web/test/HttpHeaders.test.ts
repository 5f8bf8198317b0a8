import { describe, expect, it } from "@effect/vitest"
import { bearerToken, challenge } from "../src/HttpHeaders.ts"

describe("a bearer token", () => {
  it.each([
    ["Bearer lat_1_2", "lat_1_2"],
    ["bearer   lat_1_2", "lat_1_2"],
    ["BEARER lat_1_2 ", "lat_1_2"],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    ["Bearerlat_1_2", undefined],
    ["Bearer lat_1 lat_2", undefined],
    ["Basic lat_1_2", undefined],
    ["lat_1_2", undefined],
    [undefined, undefined]
  ])("of %j is %j", (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })
})

it("a challenge has its parameters in the given order", () => {
  expect(challenge({ error: "invalid_token", scope: "search" })).toStrictEqual({
    "www-authenticate": 'Bearer error="invalid_token", scope="search"'
  })
})
