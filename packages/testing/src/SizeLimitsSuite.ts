import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { Limits } from "@lists-and-things/domain/size/SizeLimits"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, bulkSet, listNamed, make, patch, remind, shown, texts } from "./AsOwner.ts"
import { newThings } from "./Fixtures.ts"
import { makeCall, withCall } from "./Operations.ts"

type Needs = Undo | Lists | Things | BulkThings | Reminders | AccountStore | ListStore | ThingStore

/** The limits that this suite's layer must be built with. */
export const smallLimits: Limits = {
  list: { things: 4, bytes: 200 },
  account: { things: 6, bytes: 300 }
}

const long = (bytes: number) => "x".repeat(bytes)
const some = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `t${n}` }))
const lines = (count: number) =>
  some(count)
    .map(({ text }) => `- ${text}`)
    .join("\n")

const fullOfThings = (added: number, has = 4) =>
  new RegExp(`^The list "A" \\([0-9a-f-]{36}\\) can hold at most 4 things: it has ${has}, and this would add ${added}$`)
const fullOfBytes = /^The list "A" .* can hold at most 200 bytes of texts, notes and addresses: it has \d+ bytes, and/
const fullAccount = /^This account can hold at most 6 things: it has 6, and this would add 1$/

/** Expects a refusal with this message, and no change. */
const refused = Effect.fnUntraced(function* <E extends { readonly _tag: string; readonly message: string }, R>(
  { id }: Account,
  write: Effect.Effect<unknown, E, R>,
  words: RegExp
) {
  const everything = Effect.gen(function* () {
    const things = yield* ThingStore
    return yield* things.page(id, { sort: "created" }, 0, 50)
  })
  const before = yield* everything
  const error = yield* Effect.flip(write)
  expect(error._tag).toBe("InvalidInput")
  expect(error.message).toMatch(words)
  expect(yield* everything).toStrictEqual(before)
})

/** A list "A" with `count` things. */
const filled = (count: number) =>
  Effect.gen(function* () {
    const list = yield* listNamed("A")
    if (count > 0) yield* bulk({ list_id: list.id, items: some(count) })
    return list
  })

/** The limits on what a list and an account may hold, for every way of adding things (docs/decisions.md#caps). */
export const suite = <E>(name: string, layer: Layer.Layer<Needs, E>, { hasSingleStatements = true } = {}): void => {
  describe(`${name}: size limits`, () => {
    withLayer(layer)((it) => {
      it.effect("an undo is refused when there is no room for what it restores", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(4)
            const [thing] = yield* shown(list.id)
            const call = makeCall()
            yield* (yield* Things).remove(thing!.id).pipe(withCall(call))
            const added = yield* make({ text: "x", list_id: list.id })
            const undo = (yield* Undo).undo(call.recorded ?? "")
            yield* refused(account, undo, fullOfThings(1))
            yield* (yield* Things).remove(added.id)
            yield* undo
            expect(texts(yield* shown(list.id))).toStrictEqual(["t0", "t1", "t2", "t3"])
          })
        )
      )

      it.effect("one more thing than a list can hold is refused for every way of adding it", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(4)
            const many = yield* BulkThings
            yield* refused(account, make({ text: "x", list_id: list.id }), fullOfThings(1))
            yield* refused(account, make({ text: "x", list: "a" }), fullOfThings(1))
            yield* refused(account, make({ text: "x", list_id: list.id, created: "2026-01-01" }), fullOfThings(1))
            yield* refused(account, bulk({ list_id: list.id, items: some(2) }), fullOfThings(2))
            yield* refused(account, many.appendMarkdown({ listId: list.id, markdown: lines(2) }), fullOfThings(2))
            const elsewhere = yield* make({ text: "elsewhere", list: "today" })
            yield* refused(account, patch(elsewhere.id, { list_id: list.id, text: "y" }), fullOfThings(1))
            yield* refused(account, bulkSet([elsewhere.id], { list: "A" }), fullOfThings(1))
            yield* refused(account, make({ clone_of: elsewhere.id, list_id: list.id }), fullOfThings(1))
          })
        )
      )

      it.effect.skipIf(!hasSingleStatements)(
        "a single-statement completion of a repeating thing has no more room than a transaction",
        () =>
          asOwner((account) =>
            Effect.gen(function* () {
              const things = yield* Things
              const list = yield* filled(3)
              const [thing] = yield* shown(list.id)
              yield* remind(thing!.id, { at: "2026-11-20T09:00", repeat: "daily" })
              const input = { completed: true }
              const singleStatement = Effect.flatMap(things.prefetch(thing!.id), (seen) =>
                things.updateIfUnchanged(thing!.id, input, seen!)
              )
              const updated = Effect.flatMap(things.prefetch(thing!.id), (seen) =>
                things.update(thing!.id, input, seen)
              )
              yield* bulk({ list: "2026-11-22", items: some(3) })
              expect(yield* singleStatement).toBeUndefined()
              yield* refused(account, updated, fullAccount)
              yield* things.remove((yield* shown(list.id))[2]!.id)
              expect((yield* singleStatement)?.repeating).toBeDefined()
              yield* patch(thing!.id, { list_id: list.id })
              for (const { id } of yield* shown(list.id)) if (id !== thing!.id) yield* things.remove(id)
              yield* remind(thing!.id, { at: "2026-11-21T09:00", repeat: "daily" })
              yield* make({ text: "full", list: "2026-11-22" })
              expect(yield* singleStatement).toBeUndefined()
              yield* refused(
                account,
                updated,
                /^The list "2026-11-22" .* at most 4 things: it has 4, and this would add 1$/
              )
              expect(yield* singleStatement).toBeUndefined()
              yield* patch(thing!.id, { note: long(150) })
              yield* remind(thing!.id, { at: "2026-11-25T09:00", repeat: "daily" })
              expect(yield* singleStatement).toBeUndefined()
              yield* refused(account, updated, /^This account can hold at most 300 bytes/)
            })
          )
      )

      it.effect.skipIf(!hasSingleStatements)(
        "a single-statement update of a thing has no more room in a list than a transaction",
        () =>
          asOwner(
            (account) =>
              Effect.gen(function* () {
                const things = yield* Things
                const noRoom = Effect.fnUntraced(function* (id: string, value: object, message: RegExp) {
                  const input = yield* decodeInput(UpdateThingInput)(value)
                  const seen = (yield* things.prefetch(id))!
                  expect(yield* things.updateIfUnchanged(id, input, seen)).toBeUndefined()
                  yield* refused(account, things.update(id, input, seen), message)
                })
                const full = yield* filled(4)
                const [thing, ...others] = yield* shown(full.id)
                yield* remind(thing!.id, { at: "2026-11-20T09:00", repeat: "daily" })
                yield* noRoom(thing!.id, { completed: true }, fullOfThings(1))
                for (const { id } of others) yield* things.remove(id)
                yield* noRoom(thing!.id, { completed: true, note: long(110) }, fullOfBytes)
                const large = yield* listNamed("A")
                yield* make({ text: "large", list_id: large.id, note: long(150) })
                yield* patch(thing!.id, { note: long(60) })
                yield* noRoom(thing!.id, { list_id: large.id }, fullOfBytes)
              }),
            { repeatMovesToDay: false }
          )
      )

      it.effect("a new list has the same limits, and is not created when it exceeds them", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const lists = yield* Lists
            yield* refused(account, lists.create({ title: "A", things: some(5) }), fullOfThings(5, 0))
            yield* refused(account, lists.importMarkdown({ title: "A", markdown: lines(5) }), fullOfThings(5, 0))
            expect((yield* lists.page(0)).items).toHaveLength(0)
            expect((yield* lists.create({ title: "A", things: some(4) })).created).toBe(4)
          })
        )
      )

      it.effect("texts, notes, tags, urls and photos are counted in bytes", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(0)
            const thing = yield* make({ text: "äöü", list_id: list.id })
            yield* patch(thing.id, { note: long(194) })
            yield* refused(account, make({ text: "x", list_id: list.id }), fullOfBytes)
            yield* refused(account, patch(thing.id, { text: "äöüx" }), fullOfBytes)
            yield* refused(account, patch(thing.id, { tags: ["t"] }), fullOfBytes)
            yield* refused(account, patch(thing.id, { url: "https://a" }), fullOfBytes)
            yield* refused(account, bulkSet([thing.id], { url: "https://a" }), fullOfBytes)
            yield* refused(account, patch(thing.id, { photos: ["https://a/b.png"] }), fullOfBytes)
            yield* patch(thing.id, { text: "äöüx", note: long(193), completed: true })
          })
        )
      )

      it.effect("a live linked copy counts with all of its content, and grows with its original", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(0)
            const original = yield* make({ text: "x", list: "today" })
            yield* make({ text: long(150), list_id: list.id })
            yield* make({ clone_of: original.id, list_id: list.id })
            yield* refused(account, patch(original.id, { text: long(60) }), fullOfBytes)
            yield* patch(original.id, { text: long(50) })
          })
        )
      )

      it.effect("an account has a limit over all lists", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(4)
            yield* bulk({ list: "today", items: some(2) })
            const other = yield* listNamed("B")
            yield* refused(account, make({ text: "x", list_id: other.id }), fullAccount)
            yield* refused(account, make({ text: "x", list: "B" }), fullAccount)
            const [first] = yield* shown(list.id)
            yield* patch(first!.id, { list_id: other.id })
            yield* (yield* Things).remove(first!.id)
            yield* make({ text: "x", list_id: other.id })
          })
        )
      )

      it.effect("completing a repeating thing needs room for its copy", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* filled(3)
            const thing = yield* make({ text: "water plants", list_id: list.id })
            yield* remind(thing.id, { at: "2026-11-20T09:00", repeat: "daily" })
            yield* bulk({ list: "2026-11-22", items: some(2) })
            yield* refused(account, patch(thing.id, { completed: true }), fullAccount)
            yield* refused(account, bulkSet([thing.id], { completed: true }), fullAccount)
            yield* (yield* Things).remove((yield* shown(list.id))[0]!.id)
            expect((yield* patch(thing.id, { completed: true })).repeating).toBeDefined()
          })
        )
      )

      it.effect("a repeating thing in a full list can be completed when it moves away", () =>
        asOwner(() =>
          Effect.gen(function* () {
            const list = yield* filled(3)
            const thing = yield* make({ text: "water plants", list_id: list.id })
            yield* remind(thing.id, { at: "2026-11-20T09:00", repeat: "daily" })
            yield* patch(thing.id, { completed: true })
            expect(texts(yield* shown(list.id))).toStrictEqual(["t0", "t1", "t2", "water plants"])
          })
        )
      )

      it.effect("a list that exceeds its limits can be read, changed and made smaller", () =>
        asOwner(({ id: owner }) =>
          Effect.gen(function* () {
            const list = yield* filled(0)
            const made = yield* newThings(
              owner,
              list.id,
              Array.from({ length: 8 }, (_, n) => ({ text: `${n}${long(99)}`, url: "https://example.com/" }))
            )
            const [a, b, c] = made.map(({ id }) => id)
            expect(yield* shown(list.id)).toHaveLength(8)
            yield* patch(a!, { text: "shorter", completed: true })
            yield* bulkSet([b!, c!], { url: "", favorited: true, tabs: 1 })
            const other = yield* listNamed("B")
            yield* patch(b!, { list_id: other.id })
            yield* (yield* Things).remove(a!)
            expect(yield* (yield* BulkThings).remove([c!])).toBe(1)
            yield* (yield* Lists).remove(list.id)
            yield* make({ text: "x", list_id: other.id })
          })
        )
      )
    })
  })
}
