/**
 * The domain in a program of one's own: makes a list, completes a thing that repeats, and reads the day
 * (docs/library.md). Over PostgreSQL the line that names the storage reads:
 *
 *     const storage = (await import("@lists-and-things/storage-pg/PgStorage")).layerAt("postgres://…")
 */
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as NodeCrypto from "@lists-and-things/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"

const storage = (await import("@lists-and-things/storage-memory/MemoryStorage")).layer

const day = Effect.gen(function* () {
  const [lists, things, reminders] = [yield* Lists, yield* Things, yield* Reminders]
  yield* lists.create({ title: "Groceries", things: [{ text: "Bread" }, { text: "Butter" }] })
  const plants = yield* things.create({ text: "Water the plants", list: "today" })
  yield* reminders.set(plants.id, { at: new Date().toISOString(), repeat: "daily" })
  const { repeating } = yield* things.update(plants.id, { completed: true })
  const today = yield* lists.day()
  for (const { completed, text } of today.things) yield* Effect.log(`${today.date} [${completed ? "x" : " "}] ${text}`)
  const next = yield* lists.view(repeating!.listId)
  for (const { text } of next.things) yield* Effect.log(`${next.list.title} [ ] ${text}`)
})

const program = Effect.gen(function* () {
  const account = yield* (yield* Accounts).create({ email: "ann@example.com", timezone: "Europe/Vienna" })
  yield* Effect.provideService(day, Caller, ownerBy(account, { type: "operator", id: "embed", name: "A program" }))
})

await Effect.runPromise(
  Effect.provide(program, useCases.pipe(Layer.provideMerge(storage), Layer.provideMerge(NodeCrypto.layer)))
)
