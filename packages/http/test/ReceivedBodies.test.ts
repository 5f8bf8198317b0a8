import { expect, it } from "@effect/vitest"
import { maxBodyBytes, maxReceivingBytes } from "@lists-and-things/web/RequestBody"
import { Effect, Fiber } from "effect"
import type { IncomingMessage } from "node:http"
import { PassThrough } from "node:stream"
import { readBytes } from "../src/edge/RequestBody.ts"

const largest = Buffer.alloc(maxBodyBytes)
const enough = Math.ceil(maxReceivingBytes / maxBodyBytes)

/** A request of which this much has arrived. */
const receiving = Effect.fnUntraced(function* (arrived: Buffer) {
  const message = new PassThrough({ highWaterMark: maxBodyBytes + 1 })
  const reading = yield* Effect.forkChild(readBytes(message as unknown as IncomingMessage, maxBodyBytes), {
    startImmediately: true
  })
  yield* Effect.promise(() => new Promise<void>((written) => message.write(arrived, () => written())))
  return { message, reading }
})

const lost = Effect.fnUntraced(function* ({ message, reading }: Effect.Success<ReturnType<typeof receiving>>) {
  message.destroy()
  expect(yield* Effect.flip(Fiber.join(reading))).toMatchObject({ status: 400 })
})

it.live("large bodies are refused while too many are under way, small ones are not, and each gives back its room", () =>
  Effect.gen(function* () {
    const begun = yield* Effect.replicateEffect(receiving(largest), enough - 1)
    const refused = yield* receiving(largest)
    expect(yield* Effect.flip(Fiber.join(refused.reading))).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      close: true
    })
    const [small, interrupted] = [yield* receiving(Buffer.from("{}")), begun[0]!]
    small.message.end()
    expect(yield* Fiber.join(small.reading)).toHaveLength(2)
    yield* Fiber.interrupt(interrupted.reading)
    yield* Effect.forEach(begun.slice(1), lost)
    const again = yield* Effect.replicateEffect(receiving(largest), enough - 1)
    for (const { message, reading } of again) {
      message.end()
      expect(yield* Fiber.join(reading)).toHaveLength(maxBodyBytes)
    }
    const last = yield* receiving(largest)
    last.message.end()
    expect(yield* Fiber.join(last.reading)).toHaveLength(maxBodyBytes)
  })
)
