import { describe, expect, layer as withLayer } from "@effect/vitest"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { addMillis, epoch, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { type KeyedThing, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Effect, type Layer } from "effect"
import { at, freshId, newAccount, newList, newThings, noon, reminder, thing } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { makeCall, withCall } from "./Operations.ts"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"

const day = 86_400_000

const answerOf = ({ created, id, text, updated }: Thing): string =>
  JSON.stringify({ id, text, created: formatTime(created), updated: formatTime(updated) })

const keyed = (key: string, { fingerprint = "f", now = noon, maxPruned = 4 } = {}): KeyedThing => ({
  key,
  fingerprint,
  outdated: { before: addMillis(now, -day), after: addMillis(now, 60_000) },
  maxPruned,
  answerOf
})

const newThing = (owner: AccountId, listId: ListId, text: string) => {
  const { created: _, position: __, updated: ___, ...fields } = thing(owner, listId, { text })
  return fields
}

const given = Effect.gen(function* () {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner)
  const [milk] = yield* newThings(owner, home.id, [{ text: "Milk" }])
  const [things, records] = [yield* ThingStore, yield* IdempotencyStore]
  const texts = Effect.map(things.ofList(owner, home.id), (all) => all.map(({ text }) => text).toSorted())
  const append = (text: string, key: KeyedThing) => things.append(newThing(owner, home.id, text), key)
  const complete = (key: KeyedThing) =>
    things.revise(owner, milk!.id, (found) => Effect.succeed({ ...found.thing, completed: true }), { keyed: key })
  return { owner, home, milk: milk!, things, records, texts, append, complete, storage: yield* Storage }
})

/**
 * Writes of single things together with their idempotency record in one statement, for any adapter that supports it.
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Ports | IdempotencyStore, E>,
  { hasSingleStatements = true } = {}
): void => (hasSingleStatements ? suiteInOneStatement(name, layer) : suiteDeclined(name, layer))

const suiteDeclined = <E>(name: string, layer: Layer.Layer<Ports | IdempotencyStore, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: keyed writes`, (it) => {
    it.effect("are left to a transaction", () =>
      Effect.gen(function* () {
        const { append, complete, milk, owner, records, texts, things } = yield* given
        expect(yield* append("Bread", keyed("k"))).toBe("repeated")
        expect(yield* complete(keyed("k"))).toBe(undefined)
        expect(yield* texts).toStrictEqual(["Milk"])
        expect(yield* things.get(owner, milk.id)).toStrictEqual(milk)
        expect(yield* records.get(owner, "k", epoch)).toBe(undefined)
      })
    )
  })
}

const suiteInOneStatement = <E>(name: string, layer: Layer.Layer<Ports | IdempotencyStore, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: keyed writes`, (it) => {
    it.effect("store their answer, with the times of the write", () =>
      Effect.gen(function* () {
        const { append, complete, owner, records } = yield* given
        const text = "at 7777-07-07T07:07:07.777Z"
        for (const [key, write] of [
          ["add", append(text, keyed("add"))],
          ["complete", complete(keyed("complete"))]
        ] as const) {
          const call = makeCall()
          const written = yield* at(addMillis(noon, 9))(write).pipe(withCall(call))
          expect(written).toBeTypeOf("object")
          const { operationId, ...record } = (yield* records.get(owner, key, noon))!
          const answer = answerOf(written as Thing)
          expect(record).toStrictEqual({ key, fingerprint: "f", answer, created: addMillis(noon, 9) })
          expect(operationId).toBe(call.recorded)
          expect(operationId).toBeDefined()
        }
      })
    )

    it.effect("write nothing if their key has a record, whatever request it is of", () =>
      Effect.gen(function* () {
        const { append, complete, milk, owner, records, texts, things } = yield* given
        yield* at(noon)(append("Bread", keyed("k")))
        const known = yield* records.get(owner, "k", epoch)
        expect(
          yield* at(addMillis(noon, day - 1))(append("Bread", keyed("k", { now: addMillis(noon, day - 1) })))
        ).toBe("repeated")
        expect(yield* at(noon)(append("Butter", keyed("k", { fingerprint: "other" })))).toBe("repeated")
        expect(yield* at(noon)(complete(keyed("k")))).toBe(undefined)
        expect(yield* texts).toStrictEqual(["Bread", "Milk"])
        expect(yield* things.get(owner, milk.id)).toStrictEqual(milk)
        expect(yield* records.get(owner, "k", epoch)).toStrictEqual(known)
      })
    )

    it.effect("replace an expired record, and remove other expired ones up to a number", () =>
      Effect.gen(function* () {
        const { append, owner, records, texts } = yield* given
        for (const key of ["a", "b", "c"]) yield* at(noon)(append(key, keyed(key)))
        const later = addMillis(noon, day + 1)
        yield* at(later)(append("again", keyed("a", { now: later, maxPruned: 1 })))
        expect(yield* texts).toStrictEqual(["Milk", "a", "again", "b", "c"])
        const left = yield* Effect.forEach(["a", "b", "c"], (key) => records.get(owner, key, epoch))
        expect(left[0]?.created).toBe(later)
        expect(left.filter((each) => each !== undefined)).toHaveLength(2)
      })
    )

    it.effect("happen once per key, however many are concurrent", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* given, yield* given]
        const writes = Array.from({ length: 12 }, (_, n) => [
          one.append("once", keyed("same")),
          one.append(`${n}`, keyed(`own ${n}`)),
          one.things.append(newThing(one.owner, one.home.id, "plain")),
          one.complete(keyed("same too")),
          other.append("once", keyed("same"))
        ])
        const answers = yield* at(noon)(Effect.all(writes.flat(), { concurrency: "unbounded" }))
        expect(answers.filter((answer) => answer === "repeated")).toHaveLength(22)
        const numbers = Array.from({ length: 12 }, (_, n) => `${n}`)
        const plain = Array.from({ length: 12 }, () => "plain")
        expect(yield* one.texts).toStrictEqual([...numbers, ...plain, "Milk", "once"].toSorted())
        expect(yield* other.texts).toStrictEqual(["Milk", "once"])
      })
    )

    describe("leave no record if they write nothing", () => {
      it.effect("within a transaction or a dry run", () =>
        Effect.gen(function* () {
          const { append, complete, owner, records, storage, texts } = yield* given
          const both = Effect.all([append("Bread", keyed("k")), complete(keyed("k"))])
          expect(yield* storage.transact(owner, () => both)).toStrictEqual(["repeated", undefined])
          const dry = { ...makeCall(), inspect: () => Effect.void }
          expect(yield* both.pipe(withCall(dry))).toStrictEqual(["repeated", undefined])
          expect(yield* texts).toStrictEqual(["Milk"])
          expect(yield* records.get(owner, "k", epoch)).toBe(undefined)
        })
      )

      it.effect("for an unknown list, and for a thing that is not plain or has changed", () =>
        Effect.gen(function* () {
          const { complete, milk, owner, records, things } = yield* given
          expect(yield* things.append(newThing(owner, freshId() as ListId, "lost"), keyed("k"))).toBe(undefined)
          const changed = { ...milk, text: "Oats", updated: addMillis(noon, 5) as EpochMillis }
          const seen = { thing: milk, reminder: undefined }
          yield* things.put(owner, [changed])
          const decide = () => Effect.succeed({ ...milk, completed: true })
          expect(yield* things.revise(owner, milk.id, decide, { seen, keyed: keyed("k") })).toBe(undefined)
          yield* Effect.flatMap(ReminderStore, (reminders) => reminders.put(owner, [reminder(changed)]))
          expect(yield* complete(keyed("k"))).toBe(undefined)
          expect(yield* things.get(owner, milk.id)).toStrictEqual(changed)
          expect(yield* records.get(owner, "k", epoch)).toBe(undefined)
        })
      )
    })
  })
}
