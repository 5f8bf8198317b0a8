import { EventEmitter } from "node:events"
import { MemoryBudget } from "@lists-and-things/domain/size/MemoryBudget"
import { Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, it } from "@effect/vitest"
import { admitted, reservationOf } from "../src/edge/AnswerReservations.ts"

const request = { method: "GET" } as HttpServerRequest.HttpServerRequest
const portions = (contentLength?: number) =>
  HttpServerResponse.stream(
    Stream.empty,
    contentLength === undefined ? {} : { contentType: "application/json", contentLength }
  )

const none = {
  chargeTo: () => {},
  fitsWrite: () => false,
  resize: () => false,
  whenAvailable: () => () => {},
  end: () => {}
}

it("an answer in chunks reserves its size once it is complete", () => {
  const taken: Array<number> = []
  const reservation = { ...none, resize: (bytes: number) => taken.push(bytes) > 0 }
  expect(admitted(request, reservation, portions(5_000_000)).status).toBe(200)
  admitted(request, reservation, portions())
  expect(taken).toStrictEqual([5_000_000])
})

it("an answer that does not fit is a 503, which says of a write that it was carried out", () => {
  const told = (method: string) => {
    const { body, status } = admitted({ ...request, method } as typeof request, none, portions(5_000_000))
    return [status, body._tag === "Uint8Array" && new TextDecoder().decode(body.body)]
  }
  expect(told("GET")).toStrictEqual([503, expect.stringContaining("nothing was changed")])
  expect(told("POST")).toStrictEqual([503, expect.stringContaining("was carried out")])
  expect(told("HEAD")).toStrictEqual([200, false])
})

it("an answer for no account reserves no memory", () => {
  const budget = new MemoryBudget(1_000)
  const response = Object.assign(new EventEmitter(), { closed: false })
  const asked = { response } as unknown as HttpServerRequest.HttpServerRequest
  const [asset, list] = [reservationOf(asked, budget), reservationOf(asked, budget)]
  expect([asset.resize(5_000), asset.fitsWrite(), budget.taken]).toStrictEqual([true, true, 0])
  list.chargeTo("Ada")
  expect([list.resize(500), budget.taken]).toStrictEqual([true, 500])
  response.emit("close")
  expect(budget.taken).toBe(0)
})

it("an answer whose client has gone reserves no memory, which nothing would release", () => {
  const budget = new MemoryBudget(1_000)
  const response = Object.assign(new EventEmitter(), { closed: true })
  const reservation = reservationOf({ response } as unknown as HttpServerRequest.HttpServerRequest, budget)
  reservation.chargeTo("Ada")
  expect([reservation.resize(500), budget.taken]).toStrictEqual([false, 0])
})
