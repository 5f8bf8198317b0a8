import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { asOwner, listNamed } from "@lists-and-things/testing/AsOwner"
import { countedUseCases, pausesOf } from "./Counted.ts"

const count = 1_000
const markdown = "-\n".repeat(count)

layer(countedUseCases)("a document of blank items", (it) => {
  it.effect("lets other requests run while it is read and while they are left out", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const [lists, things] = [yield* Lists, yield* BulkThings]
        const { id } = yield* listNamed("home")
        const imported = yield* pausesOf(lists.importMarkdown({ markdown, title: "Blank" }))
        const appended = yield* pausesOf(things.appendMarkdown({ markdown, listId: id }))
        expect(imported.pauses / count).toBeGreaterThan(4)
        expect(appended.pauses / count).toBeGreaterThan(4)
        expect(imported.result).toMatchObject({ created: 0, skipped: count })
        expect(appended.result).toMatchObject({ created: 0, skipped: count })
      })
    )
  )
})
