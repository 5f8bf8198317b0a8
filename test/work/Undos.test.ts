import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { asOwner, bulk, listNamed, remind, shown } from "@lists-and-things/testing/AsOwner"
import { callsOf, countedUseCases } from "./Counted.ts"

layer(countedUseCases)("undoing the removal of a list", (it) => {
  it.effect("brings its reminders back 500 at a time", () =>
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
