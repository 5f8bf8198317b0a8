import { expect, it } from "@effect/vitest"
import type { ClientRequest } from "node:http"
import { EventEmitter } from "node:events"
import { limitInterim } from "../src/InterimAnswers.ts"

/** A fake request that can receive many interim answers at once. */
class Asked extends EventEmitter {
  readonly ends: Array<string> = []
  destroy({ message }: Error): void {
    this.ends.push(message)
  }
}

it("a request with too many interim answers is ended once, however many arrive together", () => {
  const asked = new Asked()
  limitInterim(asked as unknown as ClientRequest)
  for (let n = 0; n < 10; n++) asked.emit("information")
  expect(asked.ends).toStrictEqual([])
  for (let n = 0; n < 2_000; n++) asked.emit("information")
  expect(asked.ends).toStrictEqual(["More than 10 interim answers (1xx) came before an answer."])
})
