import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"
import { changing, type Recorder } from "../history/Recorder.ts"

/** Things per statement; so many are changed well within the statement timeout. */
const chunkSize = 1_000

/** In an order, so that it is the same for each step. */
const chunk = `chunk as materialized (
    select id from things where owner_id = $1 and list_ref = $2 order by id limit ${chunkSize})`
const inChunk = "any (array(select c.id from chunk c))"

const clear = changing(3, ({ imaged }) => ({
  reads: [chunk],
  recorded: [imaged("thing", `t.id = ${inChunk}`)],
  writes: [
    {
      with: [
        `changed as (update things set list_ref = null, updated = $3
          where owner_id = $1 and id = ${inChunk} returning id, list_id)`,
        "tags as (update thing_tags g set updated = $3 from changed where g.owner_id = $1 and g.thing_id = changed.id)"
      ],
      sql: "select list_id, count(*)::int4 as count from changed group by list_id"
    }
  ]
}))

/** `ThingStore.clearListRef`, in chunks. */
export const clearListRef = Effect.fnUntraced(function* (
  recorder: Recorder,
  owner: AccountId,
  list: ListId,
  updated: EpochMillis
): Effect.fn.Return<ReadonlyArray<ListId>, StorageUnavailable> {
  const lists = new Set<ListId>()
  for (let changed = chunkSize; changed === chunkSize;) {
    const rows = yield* recorder.write(clear, [owner, list, updated], { asRows: true })
    for (const { list_id } of rows) lists.add(list_id as ListId)
    changed = rows.reduce((sum, { count }) => sum + (count as number), 0)
  }
  return [...lists]
})
