import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { asOwner, bulk, bulkSet, listNamed, make, remind, shown } from "@lists-and-things/testing/AsOwner"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { callsOf, countedUseCases } from "./Counted.ts"

/** Creates `count` originals in one list, each with two linked copies in another. */
const families = (count: number) =>
  Effect.gen(function* () {
    const [home, other] = [yield* listNamed("home"), yield* listNamed("other")]
    yield* bulk({ list_id: home.id, items: Array.from({ length: count }, (_, at) => ({ text: `thing ${at}` })) })
    const originals = yield* shown(home.id)
    const clones = originals.flatMap(({ id }) => [{ clone_of: id }, { clone_of: id }])
    yield* bulk({ list_id: other.id, items: clones })
    return { home, other, originals }
  })

layer(countedUseCases)("families of linked copies in a bulk call", (it) => {
  it.effect("are looked up, written and released with one call each, however many there are", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const { originals } = yield* families(40)
        const ids = originals.map(({ id }) => id)
        const changed = yield* callsOf(bulkSet(ids, { bold: true }))
        expect(changed["ThingStore.clonesOf"]).toBe(1)
        expect(changed["ThingStore.put"]).toBe(1)
        const removed = yield* callsOf(Effect.flatMap(BulkThings, (things) => things.remove(ids)))
        expect(removed["ThingStore.clonesOf"]).toBe(1)
        expect(removed["ReminderStore.reattach"]).toBe(1)
        expect(removed["ThingStore.put"]).toBe(1)
      })
    )
  )

  it.effect("are released with one call when their list is deleted", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const { home, other } = yield* families(40)
        const calls = yield* callsOf(Effect.flatMap(Lists, (lists) => lists.remove(home.id)))
        expect(calls["ThingStore.clonesOf"]).toBe(1)
        expect(calls["ReminderStore.reattach"]).toBe(1)
        const left = yield* shown(other.id)
        expect(left.filter(({ cloneOf, hasClones }) => cloneOf === null && hasClones)).toHaveLength(40)
      })
    )
  )
})

layer(countedUseCases)("completing many repeating things at once", (it) => {
  it.effect("makes room in the list, and looks up its lists, only once", () =>
    asOwner(
      () =>
        Effect.gen(function* () {
          const home = yield* listNamed("home")
          const made = yield* Effect.forEach(Array.from({ length: 20 }), () => make({ text: "a", list_id: home.id }))
          for (const { id } of made) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
          const calls = yield* callsOf(
            bulkSet(
              made.map(({ id }) => id),
              { completed: true }
            )
          )
          expect(calls["ThingStore.openGaps"]).toBe(1)
          expect(calls["ReminderStore.put"]).toBe(1)
          expect(calls["ListStore.getMany"]).toBe(1)
          expect(yield* shown(home.id)).toHaveLength(40)
        }),
      { repeatMovesToDay: false }
    )
  )

  it.effect("looks up the list of a day only once", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const made = yield* Effect.forEach(Array.from({ length: 20 }), () => make({ text: "a" }))
        for (const { id } of made) yield* remind(id, { at: "2026-11-20T09:00", repeat: "daily" })
        const calls = yield* callsOf(
          bulkSet(
            made.map(({ id }) => id),
            { completed: true }
          )
        )
        expect(calls["ListStore.byDay"]).toBe(1)
      })
    )
  )
})
