import { type OperationCall, recordOf } from "@lists-and-things/domain/model/CurrentOperation"
import { type EntityType, type OperationId, operationIdOf } from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Database } from "../connection/Database.ts"
import type { Transaction } from "../connection/Transaction.ts"
import { runComposed, type ComposedWrite, composeWrite, type Writing } from "../distribution/ComposedWrite.ts"
import { uuids } from "../Ids.ts"
import { isBlank, type OperationNotes } from "./OperationNotes.ts"

/** The end of an operation's id (`operationIdOf`), of the random digits of a UUID: Node has those ready, ten bytes not. */
export const randomTail = (): string => {
  const uuid = randomUUID()
  return `7${uuid.slice(0, 3)}${uuid.slice(19, 23)}${uuid.slice(24)}`
}

const storedTypes = ["list", "thing", "reminder", "place"] as const

/**
 * `$12` to `$15` are the entities that were stored, by `storedTypes`, `$19` the things that are gone for certain, `$20`
 * the parts of entities that were removed, and are gone unless they were stored again.
 */
const entities = `parts as materialized (
    select i.type, i.ids, i.things, i.bytes, $20::int4multirange @> i.part as is_removed
    from operation_images i where i.owner_id = $1 and i.stamp = $2
  ), entity as (
    select e.type, e.id, bool_or(e.was_there) as was_there,
      bool_or(e.is_gone) or bool_or(e.is_removed) and not bool_or(e.is_stored) as is_gone from (
      select p.type, unnest(p.ids) as id, true as was_there, false as is_stored, p.is_removed, false as is_gone
      from parts p where p.type <> 'shifted'
      ${storedTypes.map((type, at) => `union all select '${type}', unnest($${12 + at}::uuid[]), false, true, false, false`).join(" ")}
      union all select 'thing', unnest($19::uuid[]), false, false, false, true
    ) as e group by e.type, e.id
  )`

/** For EXISTS it may read all that the owner has of a type at once; this looks for one of it. */
const stillThere = storedTypes
  .map(
    (type) =>
      `e.type = '${type}' and (select true from ${type}s x where x.owner_id = $1 and x.id = e.id limit 1) is true`
  )
  .join(" or ")

const changedOnly = `changed as (select e.type, e.id, true as is_there from entity e)`

/** Without what was stored and removed within the operation. */
const changedOrGone = `changed as (
    select e.type, e.id, e.is_there from (
      select e.type, e.id, e.was_there, e.type = 'account' or not e.is_gone and (${stillThere}) as is_there from entity e
    ) as e where e.was_there or e.is_there)`

const idsOf = (type: EntityType): string =>
  `array_agg(c.id order by c.id) filter (where c.type = '${type}') as ${type}s`

/** `$16` are the things of reminders, `$17` the lists that were touched. */
const summaryOf = (changed: string): string => `${entities}, ${changed}, summary as (
    select coalesce(bool_or(c.type = 'account'), false) as settings,
      coalesce(bool_or(c.type in ('account', 'place')), false) as settings_changed,
      ${storedTypes.map(idsOf).join(", ")},
      array_agg(c.id order by c.id) filter (where not c.is_there) as deleted from changed c
  ), moved as (
    select (select array_agg(distinct thing) from (
        select unnest(p.things) as thing from parts p union all select unnest($16::uuid[])
      ) as reminded) as reminded_things,
      (select array_agg(l.id order by l.id) from lists l where l.owner_id = $1 and l.id = any ($17::uuid[])
        and l.id <> all (coalesce(s.lists, '{}'))) as touched_lists,
      (select array_agg(thing order by thing) from (
        select unnest(p.ids) as thing from parts p where p.type = 'shifted' except select unnest(s.things)
      ) as shifted) as shifted_things,
      (select sum(p.bytes) from parts p) as bytes
    from summary s)`

const countImages = `update write_clocks w set image_bytes = w.image_bytes + coalesce(m.bytes, 0),
      settings_changed = case when s.settings_changed then $2 else w.settings_changed end
    from summary s cross join moved m where w.owner_id = $1 and (m.bytes > 0 or s.settings_changed)`

const given = `stamp, id, name, surface, by_type, by_id, by_name, request_id, summary, undoes, has_images,
  settings, lists, things, reminders, places`

const insertSummary: Writing = {
  into: ["operations", `${given}, deleted, reminded_things, touched_lists, shifted_things`],
  values: `$2::bigint, $3::uuid, $4, $5, $6, $7, $8, $9, $10, $11::uuid, $18::boolean, s.settings, s.lists, s.things,
      s.reminders, s.places, s.deleted, m.reminded_things, m.touched_lists, m.shifted_things`,
  from: "summary s cross join moved m",
  where: `s.settings
    or coalesce(s.lists, s.things, s.reminders, s.places, m.touched_lists, m.shifted_things) is not null`,
  ending: "returning 1"
}

const insert = (changed: string): ComposedWrite =>
  composeWrite([summaryOf(changed)], [{ sql: countImages }, insertSummary])

/** Where nothing was imaged: all that was changed is lists and things that were stored. The parameters are the same. */
const touched = `touched as (
    select array_agg(l.id order by l.id) as ids from lists l
    where l.owner_id = $1 and l.id = any ($17::uuid[]) and l.id <> all ($12::uuid[]))`

const insertGiven: Writing = {
  into: ["operations", `${given}, reminded_things, touched_lists`],
  values: `$2::bigint, $3::uuid, $4, $5, $6, $7, $8, $9, $10, $11::uuid, $18::boolean, false, nullif($12::uuid[], '{}'),
      nullif($13::uuid[], '{}'), nullif($14::uuid[], '{}'), nullif($15::uuid[], '{}'), nullif($16::uuid[], '{}'), t.ids`,
  from: "touched t",
  where: "t.ids is not null or $12::uuid[] <> '{}' or $13::uuid[] <> '{}'",
  ending: "returning 1"
}

const insertStored = composeWrite([touched], [insertGiven])

const insertChanged = insert(changedOnly)
export const insertChangedOrGone = insert(changedOrGone)

const stepsFor = ({ nextPart, removes }: OperationNotes): ComposedWrite =>
  nextPart === 0 ? insertStored : removes ? insertChangedOrGone : insertChanged

/** In ascending order. */
const idsIn = (notes: OperationNotes, type: EntityType): string =>
  notes.stored.size === 0
    ? uuids([])
    : uuids(
        [...notes.stored]
          .filter((each) => each[1] === type)
          .map(([id]) => id)
          .sort()
      )

interface Ended {
  readonly call: OperationCall | undefined
  readonly keepsImages: boolean
  /** Hears of the operations that were added, before the transaction ends. */
  readonly added: (owner: string, id: OperationId) => void
}

/** Sends the statement that adds the operation of each account that the transaction has changed, to go out with COMMIT. */
export const sendOperations = (
  db: Database["Service"],
  tx: Transaction,
  { added, call, keepsImages }: Ended
): Stored<void> =>
  Effect.forEach(
    [...tx.operations].filter(([, notes]) => !isBlank(notes)),
    ([owner, notes]) => {
      const stamp = tx.writeTimestamps.get(owner)!
      const id = call?.id ?? operationIdOf(stamp, randomTail())
      const { by, name, requestId, summary, surface, undoes } = recordOf(call)
      const params = [owner, stamp, id, name, surface, by.type, by.id, by.name, requestId, summary, undoes]
      const told = [uuids([...notes.remindedThings.keys()]), uuids(notes.touchedLists), keepsImages]
      const gone = notes.nextPart === 0 ? [] : [uuids(notes.removedThings), `{${notes.removedParts.join(",")}}`]
      const all = [...params, ...storedTypes.map((type) => idsIn(notes, type)), ...told, ...gone]
      return runComposed(db, stepsFor(notes), all, (sql, given) =>
        db.send(sql, given, (rows) => {
          if (rows.length > 0) added(owner, id)
        })
      )
    },
    { discard: true }
  )
