import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { list, noon, reminder, thing } from "./Fixtures.ts"
import type { Ports } from "./HistoryStoreSuite.ts"
import { changed, changesOf, homeOfTwo, written } from "./Operations.ts"

/** Operations that change an entity more than once, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: operations of many steps`, (it) => {
    it.effect("do not contain an entity that is created and removed within them", () =>
      Effect.gen(function* () {
        const { owner, things, lists, reminders, milk } = yield* homeOfTwo
        const shop = list(owner)
        const bread = thing(owner, shop.id)
        const id = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* lists.insert(shop)
            yield* things.insert(owner, [bread])
            yield* reminders.put(owner, [reminder(bread)])
            yield* lists.touch(owner, [shop.id], noon)
            yield* lists.remove(owner, shop.id)
            yield* things.put(owner, [{ ...milk, text: "Oat milk" }])
          })
        )
        expect((yield* changesOf(owner, id))?.items).toMatchObject([{ id: milk.id, change: "updated" }])
        const alone = Effect.andThen(lists.insert(shop), lists.remove(owner, shop.id))
        expect(yield* written(owner, () => alone)).toBeUndefined()
      })
    )

    it.effect("contain an entity that is removed and inserted again as updated, with its first image", () =>
      Effect.gen(function* () {
        const { owner, things, lists, milk, tea, home } = yield* homeOfTwo
        const id = yield* written(owner, () =>
          Effect.gen(function* () {
            yield* things.put(owner, [{ ...milk, text: "Oat milk" }])
            yield* lists.remove(owner, home.id)
            yield* lists.insert({ ...home, title: "Home again" })
            yield* things.insert(owner, [{ ...milk, text: "Soy milk" }])
          })
        )
        const { items } = (yield* changesOf(owner, id))!
        expect(items.filter(({ change }) => change === "updated").map(({ before }) => before?.value)).toStrictEqual([
          home,
          milk
        ])
        expect(items.filter(({ change }) => change === "deleted").map((each) => each.id)).toStrictEqual([tea.id])
      })
    )

    it.effect("contain an entity that is created and then changed as created", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, home } = yield* homeOfTwo
        const bread = thing(owner, home.id)
        const alarm = reminder(bread)
        const names = yield* changed(owner, () =>
          Effect.gen(function* () {
            yield* things.insert(owner, [bread])
            yield* things.put(owner, [{ ...bread, text: "Rye bread" }])
            yield* reminders.put(owner, [alarm])
            yield* reminders.put(owner, [{ ...alarm, color: "#336699" }])
          })
        )
        expect(names).toStrictEqual([`created thing ${bread.id}`, `created reminder ${alarm.id}`])
      })
    )

    it.effect("do not contain a reminder that is put, moved and replaced within them", () =>
      Effect.gen(function* () {
        const { owner, reminders, milk, tea } = yield* homeOfTwo
        const [former, first, moved, last] = [reminder(tea), reminder(tea), reminder(milk), reminder(tea)]
        yield* reminders.put(owner, [former])
        const names = yield* changed(owner, () =>
          Effect.gen(function* () {
            yield* reminders.put(owner, [moved])
            yield* reminders.put(owner, [first])
            yield* reminders.remove(owner, [tea.id])
            yield* reminders.reattach(owner, new Map([[milk.id, tea.id]]))
            yield* reminders.put(owner, [last])
          })
        )
        expect(names.toSorted()).toStrictEqual([`created reminder ${last.id}`, `deleted reminder ${former.id}`])
      })
    )
  })
}
