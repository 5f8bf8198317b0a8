import { Schema } from "effect"
import type { BulkCreated } from "../things/BulkThings.ts"
import { Count, described } from "./Described.ts"

/** The answer of `POST /things/bulk` and `POST /things/markdown`. */
export const BulkCreatedJson = Schema.Struct({
  created: described(Count, "How many things were added."),
  skipped: described(
    Count,
    "How many items were left out: blank ones, duplicates, and those whose own target is unknown."
  ),
  by_list: described(
    Schema.Array(
      Schema.Struct({
        list_id: described(Schema.String, "A target list."),
        created: described(Count, "How many things were added to it."),
        skipped: described(Count, "How many items for it were left out.")
      })
    ),
    "The same counts per list, in the order in which the lists were first named."
  )
})
export type BulkCreatedJson = typeof BulkCreatedJson.Type

export const bulkCreatedJson = (result: BulkCreated): BulkCreatedJson => ({
  created: result.created,
  skipped: result.skipped,
  by_list: result.byList.map(({ listId, created, skipped }) => ({ list_id: listId, created, skipped }))
})
