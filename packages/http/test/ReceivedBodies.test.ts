import { expect, it } from "@effect/vitest"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import { maxBodyBytes, maxReceivingBytes } from "@lists-and-things/web/RequestBody"
import { Effect, Fiber } from "effect"
import type { IncomingMessage } from "node:http"
import { PassThrough } from "node:stream"
import { readBytes } from "../src/edge/RequestBody.ts"

const largest = Buffer.alloc(maxBodyBytes)
const enough = Math.ceil(maxReceivingBytes / maxBodyBytes)

const settings = { timezone: "UTC", id: "", email: "ada@example.com" } as Account

/** A request of the account of which only `arrived` has been received. */
const receivingFor = Effect.fnUntraced(function* (id: string, arrived: Buffer) {
  const message = new PassThrough({ highWaterMark: maxBodyBytes + 1 })
  const caller = ownerBy({ ...settings, id: AccountId.make(id) }, { type: "key", id: "abc", name: "" })
  const reading = yield* Effect.forkChild(
    Effect.provideService(readBytes(message as unknown as IncomingMessage, maxBodyBytes), Caller, caller),
    { startImmediately: true }
  )
  yield* Effect.promise(() => new Promise<void>((written) => message.write(arrived, () => written())))
  return { message, reading }
})

let accounts = 0
const receiving = (arrived: Buffer) => Effect.suspend(() => receivingFor(`account ${accounts++}`, arrived))

const lost = Effect.fnUntraced(function* ({ message, reading }: Effect.Success<ReturnType<typeof receivingFor>>) {
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

it.live("an account whose large bodies are not sent to their end leaves room for those of others", () =>
  Effect.gen(function* () {
    const ofOne = yield* Effect.replicateEffect(receivingFor("one", largest), enough)
    const other = yield* receivingFor("other", largest)
    other.message.end()
    expect(yield* Fiber.join(other.reading)).toHaveLength(maxBodyBytes)
    const refused = ofOne.filter(({ reading }) => reading.pollUnsafe() !== undefined)
    expect(refused.length).toBeGreaterThan(0)
    yield* Effect.forEach(ofOne, ({ reading }) => Fiber.interrupt(reading))
  })
)
