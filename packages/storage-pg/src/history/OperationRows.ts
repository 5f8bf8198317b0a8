import type { Row } from "@effect/sql-pg/PgConnection"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import {
  type Entity,
  type EntityType,
  type Operation,
  type OperationId,
  surfaces
} from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import { settingsColumns, settingsOf } from "../accounts/AccountRows.ts"
import * as Tables from "../Tables.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** What the index of `operations` finds an operation by. */
export const indexed = "(o.lists || o.things || o.reminders || o.places || o.reminded_things || o.touched_lists)"

const count = (column: string): string => `coalesce(cardinality(o.${column}), 0) as ${column}`

export const operationColumns = `o.id, o.stamp::float8, o.name, o.surface, o.by_type, o.by_id, o.by_name, o.request_id,
  o.summary, o.undoes, o.undone_by, ${["lists", "things", "reminders", "places"].map(count).join(", ")}`

export const operationOf =
  (owner: AccountId) =>
  (row: Row): Operation => ({
    id: row.id as OperationId,
    owner,
    at: row.stamp as EpochMillis,
    name: row.name as string,
    surface: row.surface as (typeof surfaces)[number],
    by: { type: row.by_type as Operation["by"]["type"], id: row.by_id as string, name: row.by_name as string },
    requestId: row.request_id as string | null,
    summary: row.summary as string,
    counts: {
      lists: row.lists as number,
      things: row.things as number,
      reminders: row.reminders as number,
      places: row.places as number
    },
    undoes: row.undoes as OperationId | null,
    undoneBy: row.undone_by as OperationId | null
  })

const select = `select ${operationColumns} from operations o where o.owner_id = $1 and o.stamp = $2`

export const findOperation = (
  db: Database["Service"],
  owner: AccountId,
  at: EpochMillis | undefined
): Stored<Operation | undefined> =>
  at === undefined
    ? Effect.succeed(undefined)
    : Effect.map(db.read(select, [owner, at]), ([row]) => (row === undefined ? undefined : operationOf(owner)(row)))

/** How the entities of an account (`$1`) are selected, by type, and the column of their id. */
export const entitySources: Readonly<Record<EntityType, { readonly select: string; readonly id: string }>> = {
  account: { select: `select ${settingsColumns} from accounts a where a.id = $1`, id: "a.id" },
  place: { select: `select ${Tables.places.selected} from places p where p.owner_id = $1`, id: "p.id" },
  list: { select: `select ${Tables.lists.selected} from lists l where l.owner_id = $1`, id: "l.id" },
  thing: { select: `select ${Tables.things.selected} from things t where t.owner_id = $1`, id: "t.id" },
  reminder: { select: `select ${Tables.reminders.selected} from reminders r where r.owner_id = $1`, id: "r.id" }
}

/** Of these an image may be a row as text; that of an account is an object. */
export type ImagedType = Exclude<EntityType, "account">

/** The columns of such images. */
export const imageColumns: Readonly<Record<ImagedType, string>> = {
  place: Tables.places.columns.join(","),
  list: Tables.lists.columns.join(","),
  thing: Tables.things.columns.join(","),
  reminder: Tables.reminders.columns.join(",")
}

/** SQL of an image for `imagedEntity`, from the rows `i` of `operation_images` and `e` of their elements. */
export const readImage =
  "case when i.columns is null or e.image is null then e.image else jsonb_build_array(i.columns, e.image) end as image"

/** An entity as an operation has found it. */
export const imagedEntity = (owner: AccountId, type: EntityType, image: unknown): Entity => {
  if (!Array.isArray(image)) return entityOf(owner, type, image as Row)
  const [names, row] = image as [string, string]
  const columns = names.split(",")
  switch (type) {
    case "place":
      return { type, value: Tables.places.ofText(owner)(columns, row) }
    case "list":
      return { type, value: Tables.lists.ofText(owner)(columns, row) }
    case "thing":
      return { type, value: Tables.things.ofText(owner)(columns, row) }
    case "reminder":
      return { type, value: Tables.reminderOf(Tables.reminders.ofText(owner)(columns, row)) }
    case "account":
      throw new Error("The image of an account is an object")
  }
}

/** Reads a row of an entity by name, also in the form that `to_jsonb` gives it. */
export const entityOf = (owner: AccountId, type: EntityType, row: Row): Entity => {
  switch (type) {
    case "account":
      return { type, value: settingsOf(row) }
    case "place":
      return { type, value: Tables.places.ofRow(owner)(row) }
    case "list":
      return { type, value: Tables.lists.ofRow(owner)(row) }
    case "thing":
      return { type, value: Tables.things.ofRow(owner)(row) }
    case "reminder":
      return { type, value: Tables.reminderOf(Tables.reminders.ofRow(owner)(row)) }
  }
}
