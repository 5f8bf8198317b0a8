import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { CurrentTimeSlices } from "@lists-and-things/domain/scheduling/TimeSlices"
import { asOwner, listNamed } from "@lists-and-things/testing/AsOwner"
import { countedUseCases } from "./Counted.ts"

const count = 1_000
const markdown = "-\n".repeat(count)

/** How often other requests could run, per item. */
const pauses = Effect.fnUntraced(function* <A, E, R>(use: Effect.Effect<A, E, R>) {
  let given = 0
  const giveWay = Effect.sync(() => void given++)
  const result = yield* Effect.provideService(use, CurrentTimeSlices, { isDue: () => true, giveWay })
  return { result, given: given / count }
})

layer(countedUseCases)("a document of blank items", (it) => {
  it.effect("lets other requests run while it is read and while they are left out", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const [lists, things] = [yield* Lists, yield* BulkThings]
        const { id } = yield* listNamed("home")
        const imported = yield* pauses(lists.importMarkdown({ markdown, title: "Blank" }))
        const appended = yield* pauses(things.appendMarkdown({ markdown, listId: id }))
        expect(imported.given).toBeGreaterThan(4)
        expect(appended.given).toBeGreaterThan(4)
        expect(imported.result).toMatchObject({ created: 0, skipped: count })
        expect(appended.result).toMatchObject({ created: 0, skipped: count })
      })
    )
  )
})
