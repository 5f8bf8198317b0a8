import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { type ThingState, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { asOwner } from "./AsOwner.ts"
import { freshId, newAccount, newList, newThings, noon, thing } from "./Fixtures.ts"

type Ports = ThingTarget | ThingStore | AccountStore | ListStore

/** An id whose last block begins with `block`. */
const withBlock = (block: string) => ThingId.make(`${freshId().slice(0, 24)}${block.padEnd(12, "0")}`)

const find = (ref: string, state: ThingState = "open") =>
  Effect.flatMap(ThingTarget, (target) => Effect.map(target.find(ref, state), ({ text }) => text))

const refused = (ref: string, state: ThingState = "open") => Effect.map(Effect.flip(find(ref, state)), String)

/** References by which a person may name a thing (docs/decisions.md#ids), for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingTarget`, (it) => {
    const groceries = Effect.fnUntraced(function* (owner: Parameters<typeof newList>[0]) {
      const [list, day] = [
        yield* newList(owner, { title: "Groceries" }),
        yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
      ]
      yield* newThings(owner, list.id, [
        { id: withBlock("0afc8"), text: "Buy **milk**", updated: noon + 9 },
        { id: withBlock("0afc9"), text: "Oat milk", updated: noon + 8 },
        { id: withBlock("1234"), text: "milk", completed: true, updated: noon + 7 },
        { id: withBlock("cafe"), text: "Meet at the café", updated: noon + 6 },
        { id: withBlock("beef"), text: "bread", updated: noon + 5 },
        { id: withBlock("5555"), text: "cafe latte", updated: noon + 4 }
      ])
      yield* newThings(owner, day.id, [{ id: withBlock("b0b0"), text: "bread", updated: noon + 3 }])
    })

    const inGroceries = <A, E, R>(test: Effect.Effect<A, E, R>) =>
      asOwner((account) => Effect.andThen(groceries(account.id), test))

    describe("an id", () => {
      it.effect("names a thing of any state, in any case", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            const [open, closed] = yield* newThings(account.id, list.id, [
              { text: "a" },
              { text: "b", completed: true }
            ])
            expect(yield* find(open!.id)).toBe("a")
            expect(yield* find(` ${closed!.id.toUpperCase()} `)).toBe("b")
          })
        )
      )

      it.effect("that is unknown is refused, and of another kind is named as such", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const [unknown, list] = [freshId(), yield* newList(account.id)]
            expect(yield* refused(unknown)).toContain(`No thing of yours has the id '${unknown}'`)
            expect(yield* refused(list.id)).toContain(`'${list.id}' is a list, not a thing.`)
          })
        )
      )
    })

    describe("a short id", () => {
      it.effect("names a thing of any state, and so does the beginning of its id", () =>
        inGroceries(
          Effect.gen(function* () {
            expect(yield* find("0afc8")).toBe("Buy **milk**")
            expect(yield* find("1234")).toBe("milk")
            expect(yield* find("CAFE")).toBe("Meet at the café")
            const { id } = yield* (yield* ThingTarget).find("0afc9", "open")
            expect(yield* find(id.slice(0, 20))).toBe("Oat milk")
          })
        )
      )

      it.effect("of several things is refused with longer ones of each", () =>
        inGroceries(
          Effect.gen(function* () {
            const error = yield* Effect.flip((yield* ThingTarget).find("0afc", "open"))
            expect(error._tag).toBe("Ambiguous")
            expect(error.message).toMatch(
              /^'0afc' fits several things: '(Buy|Oat) milk' in 'Groceries' \(0afc[89]\), '(Buy|Oat) milk' in 'Groceries' \(0afc[89]\)\. Name one by its short id\.$/
            )
          })
        )
      )

      it.effect("of another account's thing is unknown", () =>
        inGroceries(
          Effect.gen(function* () {
            const other = yield* newAccount()
            const list = yield* newList(other.id)
            yield* newThings(other.id, list.id, [{ id: withBlock("abcd"), text: "theirs" }])
            expect(yield* refused("abcd")).toContain("No open thing has the short id or the words 'abcd'.")
          })
        )
      )
    })

    describe("words", () => {
      it.effect("name the only open thing that contains them, ignoring case and markup", () =>
        inGroceries(
          Effect.gen(function* () {
            expect(yield* find("BUY MILK")).toBe("Buy **milk**")
            expect(yield* find("oat")).toBe("Oat milk")
            expect(yield* find("milk", "closed")).toBe("milk")
          })
        )
      )

      it.effect("prefer a thing whose whole text they are", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            yield* newThings(account.id, list.id, [{ text: "Milk and honey" }, { text: "milk" }, { text: "Buy milk" }])
            expect(yield* find("Milk")).toBe("milk")
          })
        )
      )

      it.effect("that look like a short id are words if no id matches", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            yield* newThings(account.id, list.id, [{ id: withBlock("9999"), text: "Face the music" }])
            expect(yield* find("face")).toBe("Face the music")
          })
        )
      )

      it.effect("that several things contain are refused with these things and their lists", () =>
        inGroceries(
          Effect.gen(function* () {
            expect(yield* refused("milk")).toContain(
              "'milk' fits several things: 'Buy milk' in 'Groceries' (0afc8), 'Oat milk' in 'Groceries' (0afc9)."
            )
            expect(yield* refused("bread")).toContain(
              "'bread' in 'Groceries' (beef), 'bread' in '2026-11-21' (b0b0). Name one by its short id."
            )
          })
        )
      )

      it.effect("that more than five things contain are refused with five", () =>
        asOwner((account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            yield* newThings(
              account.id,
              list.id,
              Array.from({ length: 7 }, (_, n) => ({ text: `tea ${n}` }))
            )
            const error = yield* Effect.flip((yield* ThingTarget).find("tea", "open"))
            expect(error._tag === "Ambiguous" && error.candidates.length).toBe(5)
            expect(error.message).toContain(" and more. Name one")
          })
        )
      )

      it.effect("that no open thing contains are refused with a closed thing or the closest ones", () =>
        inGroceries(
          Effect.gen(function* () {
            const store = yield* ThingStore
            expect(yield* refused("bred")).toContain("No open thing has the words 'bred'. Closest: 'bread' (beef)")
            expect(yield* refused("latet")).toContain("Closest: 'cafe latte' (5555)")
            expect(yield* refused("milk oat")).toContain("Closest: 'Oat milk' (0afc9)")
            expect(yield* refused("xyzzy")).toMatch(/No open thing has the words 'xyzzy'\.$/)
            const oat = yield* (yield* ThingTarget).find("oat", "open")
            yield* store.put(oat.owner, [{ ...oat, canceled: true }])
            expect(yield* refused("oat")).toContain(
              "No open thing has the words 'oat'. Of the closed ones 'Oat milk' (0afc) has."
            )
            expect(yield* refused("bread", "closed")).toContain("Of the open ones 'bread' (beef) has.")
          })
        )
      )

      it.effect("that are empty or cannot be stored are unknown", () =>
        inGroceries(
          Effect.gen(function* () {
            for (const words of ["", "  ", "a\u0000b", "\ud800"])
              expect(yield* refused(words)).toContain("No open thing")
          })
        )
      )
    })

    it.effect("shortIds differ among the given ids, and grow with the account", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const target = yield* ThingTarget
          const list = yield* newList(account.id)
          const ids = [withBlock("0afc8"), withBlock("0afc9"), withBlock("beef")]
          yield* newThings(
            account.id,
            list.id,
            ids.map((id) => ({ id }))
          )
          expect(ids.map(yield* target.shortIds(ids))).toStrictEqual(["0afc8", "0afc9", "beef"])
          expect(ids.slice(1).map(yield* target.shortIds(ids.slice(1)))).toStrictEqual(["0afc", "beef"])
          expect([...(yield* target.listsOf([thing(account.id, list.id)]))]).toStrictEqual([[list.id, list]])
          yield* newThings(
            account.id,
            list.id,
            Array.from({ length: 254 }, () => ({}))
          )
          expect(ids.slice(1).map(yield* target.shortIds(ids.slice(1)))).toStrictEqual(["0afc9", "beef0"])
        })
      )
    )
  })
}
