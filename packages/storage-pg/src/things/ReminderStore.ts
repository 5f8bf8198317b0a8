import type { Row } from "@effect/sql-pg/PgConnection"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { ReminderStore, type TimeReminder } from "@lists-and-things/domain/ports/ReminderStore"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import { Effect, Layer } from "effect"
import { columnArrays } from "../ColumnArrays.ts"
import { Database } from "../connection/Database.ts"
import { changing, makeRecorder } from "../history/Recorder.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import { pageOf } from "../Paging.ts"
import * as Tables from "../Tables.ts"

const reminderIn = (owner: AccountId) => {
  const rowOf = Tables.reminders.ofRow(owner)
  return (row: Row): Reminder => Tables.reminderOf(rowOf(row))
}

const select = `select ${Tables.reminders.selected} from reminders r where r.owner_id = $1`

const rowArrays = columnArrays(Tables.reminders.definitions)

const upsert = changing(
  Tables.reminders.parameterCount,
  ({ imaged }) => ({
    reads: [`given as materialized (${rowArrays.select})`],
    recorded: [imaged("reminder", "r.thing_id = any (array(select g.thing_id from given g))")],
    writes: [
      {
        into: ["reminders", Tables.reminders.names],
        values: Tables.reminders.names,
        from: "given",
        ending: `on conflict (owner_id, thing_id) do update set ${Tables.reminders.assignments("excluded", ["thing_id"])}`
      }
    ]
  }),
  { removes: true }
)

const paramsOf = (reminders: ReadonlyArray<Reminder>): Params => {
  const rows = rowArrays.collect()
  for (const reminder of reminders) rows.add(Tables.reminders.params(Tables.reminderRow(reminder)).slice(1))
  return rows.params()
}

const givenTimes = `given as materialized (
    select * from json_to_recordset($2::json) as g (thing_id uuid, at bigint, first text, until bigint, end_at bigint))`

const putTimes = changing(2, ({ imaged }) => ({
  reads: [givenTimes],
  recorded: [imaged("reminder", "r.thing_id = any (array(select g.thing_id from given g)) and r.place_id is null")],
  writes: [
    {
      sql: `update reminders r set at = given.at, first = given.first, until = given.until, end_at = given.end_at
        from given where r.owner_id = $1 and r.thing_id = given.thing_id and r.place_id is null`
    }
  ]
}))

const timesOf = ({ thingId, trigger }: TimeReminder): object => ({
  thing_id: thingId,
  at: trigger.at,
  first: trigger.first,
  until: trigger.rule.until,
  end_at: trigger.end
})

const past = "from reminders r where r.owner_id = $1 and r.at <= $2"

/** Those of open things: one look-up per reminder, the latest first. */
const ofOpenThings = (reminders: string): string => `select ${Tables.reminders.selected} from (${reminders}) r
  cross join lateral (select from things t where t.owner_id = $1 and t.id = r.thing_id
    and not t.completed and not t.canceled limit 1) as open
  order by r.at desc, r.thing_id limit $3`

/** The most past reminders that a short statement looks through for those of open things. */
const maxPast = 1_000

/** At least one row, which says whether there are more past ones. */
const recentlyOverdue = `select (select true ${past} offset ${maxPast} limit 1) is true as more, o.*
  from (values (1)) as one left join lateral (
    ${ofOpenThings(`select r.* ${past} order by r.at desc, r.thing_id limit ${maxPast}`)}) as o on true
  order by o.at desc, o.thing_id`
const overdue = ofOpenThings(`select r.* ${past}`)

const repeating = ofOpenThings(`select r.* from reminders r where r.owner_id = $1 and r.at < $2 and r.repeat <> 'none'`)

const reattach = changing(3, ({ imaged }) => ({
  recorded: [imaged("reminder", "r.thing_id = any ($2::uuid[])")],
  writes: [
    {
      sql: `update reminders r set thing_id = given.heir
        from unnest($2::uuid[], $3::uuid[]) as given (thing, heir) where r.owner_id = $1 and r.thing_id = given.thing`
    }
  ]
}))

const removeWhere = (where: string) =>
  changing(
    2,
    ({ imaged }) => ({
      recorded: [imaged("reminder", where)],
      writes: [{ sql: `delete from reminders r where r.owner_id = $1 and ${where}` }]
    }),
    { removes: true }
  )

const remove = removeWhere("r.thing_id = any ($2::uuid[])")
const removeOfPlace = removeWhere("r.place_id = $2")

export const layer = Layer.effect(
  ReminderStore,
  Effect.gen(function* () {
    const db = yield* Database
    const recorder = yield* makeRecorder
    const reading = (read: typeof db.read) => (owner: AccountId, rest: string, params: Params) =>
      Effect.map(read(`${select} ${rest}`, [owner, ...params]), (rows) => rows.map(reminderIn(owner)))
    const [several, severalLong] = [reading(db.read), reading(db.readLong)]

    return ReminderStore.of({
      findByThing: (owner, thing) =>
        isIdForm(thing)
          ? Effect.map(several(owner, "and r.thing_id = $2", [thing]), (found) => found[0])
          : Effect.succeed(undefined),
      ofThings: (owner, things) => {
        const ids = things.filter(isIdForm)
        return ids.length === 0 ? Effect.succeed([]) : several(owner, "and r.thing_id = any ($2::uuid[])", [ids])
      },
      has: (owner, id) =>
        isIdForm(id)
          ? Effect.map(
              db.read("select from reminders where owner_id = $1 and id = $2", [owner, id]),
              (rows) => rows.length > 0
            )
          : Effect.succeed(false),
      put: (owner, reminders) => {
        const ids = reminders.map(({ id }) => id)
        return ids.length === 0
          ? Effect.void
          : recorder.send(upsert, [owner, ...paramsOf(reminders)], {
              stored: ["reminder", ids],
              reminded: reminders.map(({ id, thingId }) => ({ thing: thingId, reminder: id })),
              among: ids
            })
      },
      putTimes: (owner, reminders) => {
        const known = reminders.filter(({ thingId }) => isIdForm(thingId))
        return known.length === 0 ? Effect.void : recorder.send(putTimes, [owner, JSON.stringify(known.map(timesOf))])
      },
      remove: (owner, things) => {
        const ids = things.filter(isIdForm)
        return ids.length === 0 ? Effect.void : recorder.send(remove, [owner, ids])
      },
      reattach: (owner, heirs) =>
        recorder.send(reattach, [owner, [...heirs.keys()], [...heirs.values()]], {
          reminded: [...heirs].map(([from, thing]) => ({ thing, from }))
        }),
      upcoming: (owner, now, limit) => several(owner, "and r.at > $2 order by r.at, r.thing_id limit $3", [now, limit]),
      overdue: (owner, now, limit) =>
        Effect.gen(function* () {
          const recent = yield* db.read(recentlyOverdue, [owner, now, limit])
          const found = recent.filter(({ id }) => id !== null)
          const rows =
            recent[0]?.more === true && found.length < limit ? yield* db.readLong(overdue, [owner, now, limit]) : found
          return rows.map(reminderIn(owner))
        }),
      between: (owner, from, to, limit) =>
        Effect.map(
          several(owner, "and r.at >= $2 and r.at < $3 order by r.at, r.thing_id limit $4", [from, to, limit + 1]),
          (found) => pageOf(found, limit)
        ),
      repeating: (owner, before, limit) =>
        Effect.map(db.readLong(repeating, [owner, before, limit]), (rows) => rows.map(reminderIn(owner))),
      atPlaces: (owner, limit) =>
        severalLong(owner, "and r.place_id is not null order by r.thing_id limit $2", [limit ?? null]),
      all: (owner) => severalLong(owner, "order by r.thing_id", []),
      after: (owner, thing, limit) =>
        thing === undefined
          ? several(owner, "order by r.thing_id limit $2", [limit])
          : several(owner, "and r.thing_id > $3::uuid order by r.thing_id limit $2", [limit, thing]),
      removeOfPlace: (owner, place) => (isIdForm(place) ? recorder.send(removeOfPlace, [owner, place]) : Effect.void)
    })
  })
)
