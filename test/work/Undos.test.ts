import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { asOwner, bulk, listNamed, make, patch, remind, shown } from "@lists-and-things/testing/AsOwner"
import { done, undone } from "@lists-and-things/testing/UndoFixtures"
import { callsOf, countedUseCases, pausesOf } from "./Counted.ts"

layer(countedUseCases)("undoing the removal of a list", (it) => {
  it.effect("restores its reminders 500 at a time", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const { id } = yield* listNamed("home")
        for (const size of [500, 1])
          yield* bulk({ list_id: id, items: Array.from({ length: size }, (_, at) => ({ text: `thing ${at}` })) })
        for (const thing of yield* shown(id)) yield* remind(thing.id, { at: "2026-11-20T09:00", repeat: "daily" })
        const before = yield* Effect.flatMap(ReminderStore, (reminders) => reminders.all(account.id))
        yield* Effect.flatMap(Lists, (lists) => lists.remove(id))
        const { operation } = yield* Effect.flatMap(HistoryStore, (history) => history.head(account.id))
        const calls = yield* callsOf(Effect.flatMap(Undo, (undo) => undo.undo(operation!)))
        expect(calls["ReminderStore.put"]).toBe(2)
        const after = yield* Effect.flatMap(ReminderStore, (reminders) => reminders.all(account.id))
        expect([after.length, new Set(after)]).toStrictEqual([501, new Set(before)])
      })
    )
  )
})

layer(countedUseCases)("an operation on many things", (it) => {
  it.effect("can yield at each of them while it is shown or undone", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const [lists, operations, undo] = [yield* Lists, yield* Operations, yield* Undo]
        const count = 1_000
        const pauses = Effect.fnUntraced(function* <A, E, R>(use: (operation: string) => Effect.Effect<A, E, R>) {
          const { operation } = yield* Effect.flatMap(HistoryStore, (history) => history.head(account.id))
          return (yield* pausesOf(use(operation!))).pauses / count
        })
        const markdown = Array.from({ length: count }, (_, at) => `- [ ] thing ${at}`).join("\n")
        const { list } = yield* lists.importMarkdown({ markdown, title: "Many" })
        expect(yield* pauses(operations.view)).toBeGreaterThan(12)
        expect(yield* pauses(undo.undo)).toBeGreaterThan(12)
        expect(yield* pauses(undo.undo)).toBeGreaterThan(12)
        yield* lists.remove(list.id)
        expect(yield* pauses(operations.view)).toBeGreaterThan(12)
        expect(yield* pauses(undo.undo)).toBeGreaterThan(12)
        expect(yield* shown(list.id)).toHaveLength(count)
      })
    )
  )
})

layer(countedUseCases)("an operation that created or removed many things", (it) => {
  it.effect("is shown without reading all of them, with what an undo would come to", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const [lists, operations] = [yield* Lists, yield* Operations]
        const markdown = Array.from({ length: 1_001 }, (_, at) => `- [ ] thing ${at}`).join("\n")
        const { list } = yield* lists.importMarkdown({ markdown, title: "Many" })
        const [first] = yield* shown(list.id)
        const { operation } = yield* Effect.flatMap(HistoryStore, (history) => history.head(account.id))
        const shownState = Effect.gen(function* () {
          const states: Array<string> = []
          const calls = yield* callsOf(Effect.map(operations.view(operation!), ({ undo }) => states.push(undo)))
          expect(calls["ThingStore.ofListAfter"]).toBeUndefined()
          return states[0]
        })
        expect(yield* shownState).toBe("possible")
        const elsewhere = yield* listNamed("elsewhere")
        yield* bulk({ list_id: elsewhere.id, items: Array.from({ length: 500 }, (_, at) => ({ text: `other ${at}` })) })
        yield* bulk({ list_id: elsewhere.id, items: [{ text: "one more" }] })
        expect(yield* shownState).toBe("possible")
        const blocks = Effect.fnUntraced(function* <A, E, R>(change: Effect.Effect<A, E, R>) {
          const { id } = yield* done(change)
          expect(yield* shownState).toBe("blocked")
          yield* undone(id)
          expect(yield* shownState).toBe("possible")
        })
        yield* blocks(patch(first!.id, { text: "changed" }))
        yield* blocks(remind(first!.id, { at: "2026-11-20T09:00", repeat: "daily" }))
        yield* blocks(make({ text: "new", list_id: list.id }))
        yield* blocks(make({ clone_of: first!.id, list_id: elsewhere.id }))
        yield* blocks(lists.remove(list.id))
        const removal = yield* done(lists.remove(list.id))
        const calls = yield* callsOf(
          Effect.map(operations.view(removal.id), ({ undo }) => expect(undo).toBe("possible"))
        )
        expect(calls["ListStore.getMany"]).toBeUndefined()
        yield* listNamed("later")
        expect((yield* operations.view(removal.id)).undo).toBe("possible")
        yield* Effect.flatMap(HistoryStore, (history) => history.erase(account.id, { operation: removal.id }))
        expect((yield* operations.view(removal.id)).undo).toBe("expired")
      })
    )
  )
})
