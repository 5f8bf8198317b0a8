import type { Row } from "@effect/sql-pg/PgConnection"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { ListId } from "@lists-and-things/domain/model/Ids"
import type { Position } from "@lists-and-things/domain/model/Thing"
import { sequencesBySortTime } from "@lists-and-things/domain/things/PositionGaps"
import { changing } from "../history/Recorder.ts"

/** One index lookup per list. */
const endsOf = (given: string): string => `select given.list_id, last.rank::float8, last.seq::float8
  from ${given} cross join lateral (
    select t.rank, t.seq from things t where t.owner_id = $1 and t.list_id = given.list_id
    order by t.rank desc, t.seq desc limit 1) as last`
export const ends = endsOf("unnest($2::uuid[]) as given (list_id)")
export const endsOfDays = endsOf(`(select given.id from unnest($2::uuid[]) as given (id)
    union select l.id from lists l where l.owner_id = $1 and l.day = any ($3::text[])) as given (list_id)`)

/** One index lookup per list and rank. */
export const lastAt = `select given.list_id, given.rank::float8, last.seq::float8
  from unnest($2::uuid[], $3::bigint[]) as given (list_id, rank) cross join lateral (
    select max(t.seq) as seq from things t
    where t.owner_id = $1 and t.list_id = given.list_id and t.rank = given.rank
  ) as last where last.seq is not null`

export const positionOf = (row: Row): readonly [ListId, Position] => [
  row.list_id as ListId,
  { sortTime: row.rank as EpochMillis, sequence: row.seq as number }
]

/** Each given row is the range between two neighbouring positions. */
const ranges = `unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as given (rank, above, upto, places)`
const inRange = `t.owner_id = $1 and t.list_id = $2 and t.rank = given.rank and t.seq > given.above and t.seq <= given.upto`

const shift = (sign: "+" | "-") =>
  changing(6, ({ shifted }) => ({
    recorded: [shifted(`select t.id from things t join ${ranges} on ${inRange}`)],
    writes: [{ sql: `update things t set seq = t.seq ${sign} given.places from ${ranges} where ${inRange}` }]
  }))
export const [openGaps, closeGaps] = [shift("+"), shift("-")]

/** Greater than any sequence. */
const lastSeq = "9223372036854775807"

export const stretches = (places: ReadonlyArray<Position>): ReadonlyArray<ReadonlyArray<string>> => {
  const rows = [...sequencesBySortTime(places)].flatMap(([rank, seqs]) =>
    seqs.map((above, at) => [String(rank), String(above), String(seqs[at + 1] ?? lastSeq), String(at + 1)] as const)
  )
  return [0, 1, 2, 3].map((column) => rows.map((row) => row[column]!))
}
