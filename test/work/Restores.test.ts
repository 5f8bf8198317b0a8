import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Backup } from "@lists-and-things/domain/backup/Backup"
import { backupLines } from "@lists-and-things/domain/backup/BackupContent"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { asOwner, bulk, listNamed, remind, shown } from "@lists-and-things/testing/AsOwner"
import { callsOf, countedUseCases } from "./Counted.ts"

const withBackups = Layer.mergeAll(Backup.layer, Restore.layer).pipe(Layer.provideMerge(countedUseCases))

layer(withBackups)("restoring an account", (it) => {
  it.effect("stores its reminders 500 at a time", () =>
    Effect.gen(function* () {
      const text = yield* asOwner(() =>
        Effect.gen(function* () {
          const { id } = yield* listNamed("home")
          for (const size of [500, 1])
            yield* bulk({ list_id: id, items: Array.from({ length: size }, (_, at) => ({ text: `thing ${at}` })) })
          for (const thing of yield* shown(id)) yield* remind(thing.id, { at: "2026-11-20T09:00", repeat: "daily" })
          const lines = yield* (yield* Backup).read((content) => Stream.runCollect(backupLines(content)))
          return lines.flat().join("\n")
        })
      )
      yield* asOwner((account) =>
        Effect.gen(function* () {
          const restore = yield* Restore
          const calls = yield* callsOf(restore.run(Stream.make(text), { merge: false }))
          expect(calls["ReminderStore.put"]).toBe(2)
          expect(yield* Effect.flatMap(ReminderStore, (reminders) => reminders.all(account.id))).toHaveLength(501)
        })
      )
    })
  )
})
