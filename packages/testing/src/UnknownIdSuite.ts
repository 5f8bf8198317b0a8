import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Search } from "@lists-and-things/domain/search/Search"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, bulkSet, listNamed, make, patch, remind } from "./AsOwner.ts"
import { freshId, place } from "./Fixtures.ts"

type UseCases = Lists | Things | BulkThings | Reminders | Search | AccountStore | PlaceStore

const refusal = <A, E extends { readonly _tag: string; readonly message: string }, R>(use: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(use), ({ _tag, message }) => [_tag, message])

/** The refusals of an unknown id by every use case that takes one. */
const wordsFor = Effect.fnUntraced(function* (id: string) {
  const [lists, things, reminders] = [yield* Lists, yield* Things, yield* Reminders]
  const own = yield* make({ text: "own" })
  const all = yield* Effect.all([
    refusal(things.get(id)),
    refusal(things.update(id, { completed: true })),
    refusal(remind(id, { at: "2026-12-01T09:00:00Z" })),
    refusal(reminders.occurrences(id, 1)),
    refusal(lists.view(id)),
    refusal(lists.update(id, { title: "x" })),
    refusal(lists.markdown(id)),
    refusal(make({ text: "x", list_id: id })),
    refusal(make({ text: "x", list_id: id, created: "2026-01-01" })),
    refusal(patch(own.id, { list_id: id })),
    refusal(bulk({ items: [{ text: "x" }], list_id: id })),
    refusal(bulkSet([own.id], { list_id: id })),
    refusal((yield* BulkThings).appendMarkdown({ markdown: "- x", listId: id })),
    refusal(make({ text: "x", list_ref: id })),
    refusal(patch(own.id, { list_ref: id })),
    refusal(bulk({ items: [{ text: "a" }, { text: "x", list_ref: id }] })),
    refusal(make({ clone_of: id })),
    refusal((yield* Search).fetch(id))
  ])
  return all.map(([tag, message]) => `${tag}: ${message}`)
})

/** The messages for unknown ids (docs/decisions.md#ids), for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: unknown ids`, (it) => {
    const expected = (id: string) => [
      ...Array.from({ length: 4 }, () => `NotFound: No thing of yours has the id '${id}'.`),
      ...Array.from({ length: 3 }, () => `NotFound: No list of yours has the id '${id}'.`),
      ...Array.from({ length: 3 }, () => `NotFound: list_id '${id}' is no list of yours.`),
      ...["list_id", "list_id", "list_id", "list_ref", "list_ref", "items[1].list_ref"].map(
        (field) => `InvalidInput: ${field} must be the id of a list of yours: you have none with the id '${id}'`
      ),
      `InvalidInput: clone_of must be the id of a thing of yours: you have none with the id '${id}'`,
      `NotFound: No list or thing of yours has the id '${id}'.`
    ]

    it.effect("are quoted, cut at 80 characters, by every use case", () =>
      asOwner(() =>
        Effect.gen(function* () {
          expect(yield* wordsFor("nope")).toStrictEqual(expected("nope"))
          const unknown = freshId()
          expect(yield* wordsFor(unknown)).toStrictEqual(expected(unknown))
          const long = yield* refusal((yield* Things).get(`${"😀".repeat(500)}`))
          expect(long[1]).toBe(`No thing of yours has the id '${"😀".repeat(80)}…'.`)
          const strange = yield* refusal((yield* Things).get("a\u0000\ud800"))
          expect(strange[1]).toBe("No thing of yours has the id 'a\ufffd'.")
        })
      )
    )

    it.effect("of another owner are refused in the same words", () =>
      Effect.gen(function* () {
        const theirs = yield* asOwner(() =>
          Effect.gen(function* () {
            const list = yield* listNamed("Theirs")
            const thing = yield* make({ text: "theirs", list_id: list.id })
            const { reminder } = yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" })
            return [list.id, thing.id, reminder.id]
          })
        )
        yield* asOwner(() =>
          Effect.gen(function* () {
            for (const id of theirs) expect(yield* wordsFor(id)).toStrictEqual(expected(id))
          })
        )
      })
    )

    it.effect("of another kind of entity are refused with their kind", () =>
      asOwner(({ id: owner }) =>
        Effect.gen(function* () {
          const [lists, things] = [yield* Lists, yield* Things]
          const list = yield* listNamed("List")
          const thing = yield* make({ text: "thing", list_id: list.id })
          const { reminder } = yield* remind(thing.id, { at: "2026-12-01T09:00:00Z" })
          const saved = place(owner, { name: freshId() })
          yield* (yield* PlaceStore).put(saved)
          const messages = [
            [things.get(list.id), `'${list.id}' is a list, not a thing.`],
            [lists.view(thing.id), `'${thing.id}' is a thing, not a list.`],
            [things.get(reminder.id), `'${reminder.id}' is a reminder, not a thing.`],
            [lists.view(saved.id), `'${saved.id}' is a place, not a list.`],
            [make({ text: "x", list_id: thing.id }), `list_id '${thing.id}' is a thing, not a list.`],
            [
              bulk({ items: [{ text: "x" }], list_id: thing.id }),
              `list_id must be the id of a list of yours: '${thing.id}' is a thing`
            ],
            [
              make({ text: "x", list_ref: thing.id }),
              `list_ref must be the id of a list of yours: '${thing.id}' is a thing`
            ],
            [make({ clone_of: list.id }), `clone_of must be the id of a thing of yours: '${list.id}' is a list`]
          ] as const
          for (const [use, message] of messages)
            expect((yield* Effect.flip(use as Effect.Effect<unknown, Error, UseCases>)).message).toBe(message)
        })
      )
    )
  })
}
