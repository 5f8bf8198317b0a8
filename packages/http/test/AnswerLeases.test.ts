import { Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, it } from "@effect/vitest"
import { admitted } from "../src/edge/AnswerLeases.ts"

const request = { method: "GET" } as HttpServerRequest.HttpServerRequest
const portions = (contentLength?: number) =>
  HttpServerResponse.stream(
    Stream.empty,
    contentLength === undefined ? {} : { contentType: "application/json", contentLength }
  )

it("an answer in portions takes as many bytes as it has, once it is made", () => {
  const taken: Array<number> = []
  const lease = { of: () => {}, resize: (bytes: number) => taken.push(bytes) > 0, end: () => {} }
  expect(admitted(request, lease, portions(5_000_000)).status).toBe(200)
  admitted(request, lease, portions())
  expect(taken).toStrictEqual([5_000_000])
})
