import type { Row } from "@effect/sql-pg/PgConnection"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Params, Values } from "./connection/ConnectionPool.ts"
import { fieldsOf, textsOf } from "./history/RowText.ts"

/** The types of columns that can hold a value. */
type SqlType<Value> = [Value] extends [boolean]
  ? "boolean"
  : [Value] extends [number]
    ? "bigint" | "integer" | "double precision"
    : [Value] extends [ReadonlyArray<string>]
      ? "text[]"
      : [Value] extends [string]
        ? "text" | "uuid"
        : never

type ColumnsOf<Value> = [SqlType<Value>] extends [never] ? Shape<Value> : `${string} ${SqlType<Value>}`

/** The columns of an entity, in the entity's own shape: `{ position: { sortTime: "rank bigint" } }`. */
export type Shape<Entity> = { readonly [Key in keyof Entity]-?: ColumnsOf<NonNullable<Entity[Key]>> }

interface Owned {
  readonly owner: AccountId
}

/** A column that is only written, such as a key for comparison: how its value is computed, and from which fields. */
interface ComputedColumn<Entity> {
  readonly from: ReadonlyArray<keyof Entity>
  readonly value: (entity: Entity) => string | null
}

/** By name and type. */
type Computed<Entity> = Readonly<Record<string, ComputedColumn<Entity>>>

/**
 * The columns of one table, except `owner_id`, in the forms that SQL and conversions need. Lists of columns are
 * separated by commas.
 */
export interface Table<Entity extends Owned> {
  /** The columns that make up the entity, by name. */
  readonly selected: string
  /**
   * The same for `ofValues`, in a form that the driver reads faster: all booleans as the bits of one integer, ids as
   * text, and empty arrays as null.
   */
  readonly packed: string
  /** How many columns `packed` has. */
  readonly width: number
  /** The columns that are written: those of the entity, then the computed ones. */
  readonly names: string
  /** `names` with their types. */
  readonly definitions: string
  /** The columns of a set of `record`s, in which PostgreSQL has null for what is left out. */
  readonly filled: (source: string) => string
  /** `names` without `keys`, each set to the value that the column of the same name in `source` has. */
  readonly assignments: (source: string, keys: ReadonlyArray<string>) => string
  /** Whether a column of the entity, except these, has another value than `valueOf` gives for it. */
  readonly differs: (alias: string, valueOf: (name: string) => string, except: ReadonlyArray<string>) => string
  /** One parameter per column of `names`; the first is `$2`, after the owner. */
  readonly parameters: string
  /** How many parameters there are with the owner. */
  readonly parameterCount: number
  /** The parameter of one column. */
  readonly parameter: (name: string) => string
  /** The owner and the values of `names`, as the parameters of a statement. */
  readonly params: (entity: Entity) => Params
  /** The values of `names` by name, to be sent as JSON; null, false, 0 and empty values are omitted. */
  readonly record: (entity: Entity) => Readonly<Record<string, unknown>>
  /** The values of `names` in which the second state of an entity differs from the first, by name. */
  readonly changes: (before: Entity, after: Entity) => Readonly<Record<string, unknown>>
  /** Reads a row by position. All entities have the same hidden class: code that reads them is several times faster. */
  readonly ofValues: (owner: AccountId) => (values: Values) => Entity
  /** Reads a row by name, also in the form that `to_jsonb` gives it. */
  readonly ofRow: (owner: AccountId) => (row: Row) => Entity
  /** The names of the columns `selected`. */
  readonly columns: ReadonlyArray<string>
  /** Reads a row of these columns in the text form that PostgreSQL gives it. */
  readonly ofText: (owner: AccountId) => (columns: ReadonlyArray<string>, row: string) => Entity
}

interface Column {
  /** The way to the value in the entity: `position.sortTime`. */
  readonly path: string
  readonly name: string
  readonly type: string
}

/** The columns of a table in the forms that its SQL and its conversions need. */
interface Layout<Entity> {
  readonly alias: string
  readonly shape: object
  readonly computed: Computed<Entity>
  /** Those of the entity. */
  readonly own: ReadonlyArray<Column>
  /** Those of the entity, then the computed ones. */
  readonly written: ReadonlyArray<Column>
  /** In `packed`: the booleans, which are the bits of one integer, and the others. */
  readonly flags: ReadonlyArray<Column>
  readonly single: ReadonlyArray<Column>
}

type SqlForm =
  | "selected"
  | "packed"
  | "width"
  | "names"
  | "definitions"
  | "filled"
  | "assignments"
  | "differs"
  | "parameters"
  | "parameterCount"
  | "parameter"
  | "columns"

/**
 * The table whose rows are entities of this shape. `bigint` columns are read as double precision, which represents
 * every epoch millisecond exactly; the driver would return them as JavaScript bigints.
 */
export const table = <Entity extends Owned>(
  alias: string,
  shape: Shape<Omit<Entity, "owner">>,
  computed: Computed<Entity> = {}
): Table<Entity> => {
  const own = columnsIn(shape)
  const layout: Layout<Entity> = {
    alias,
    shape,
    computed,
    own,
    written: [...own, ...Object.keys(computed).map((column) => columnOf("", column))],
    flags: own.filter(({ type }) => type === "boolean"),
    single: own.filter(({ type }) => type !== "boolean")
  }
  return { ...sqlOf(layout), ...writingOf(layout), ...readingOf(layout) }
}

const sqlOf = <Entity extends Owned>({
  alias,
  flags,
  own,
  single,
  written
}: Layout<Entity>): Pick<Table<Entity>, SqlForm> => {
  const parameter = (at: number) => `$${at + 2}::${written[at]!.type}`
  return {
    selected: own.map(({ name, type }) => `${alias}.${name}${type === "bigint" ? "::float8" : ""}`).join(", "),
    packed: [
      ...single.map(({ name, type }) => readAs(`${alias}.${name}`, type)),
      ...(flags.length === 0 ? [] : [flags.map(({ name }, bit) => `(${alias}.${name}::integer << ${bit})`).join(" | ")])
    ].join(", "),
    width: single.length + Math.min(flags.length, 1),
    names: written.map(({ name }) => name).join(", "),
    definitions: written.map(({ name, type }) => `${name} ${type}`).join(", "),
    filled: (source) => written.map(({ name, type }) => `${filled(`${source}.${name}`, type)} as ${name}`).join(", "),
    assignments: (source, keys) =>
      written
        .filter(({ name }) => !keys.includes(name))
        .map(({ name }) => `${name} = ${source}.${name}`)
        .join(", "),
    differs: (alias, valueOf, except) => {
      const names = own.map(({ name }) => name).filter((name) => !except.includes(name))
      const columns = names.map((name) => `${alias}.${name}`)
      return `(${columns.join(", ")}) is distinct from (${names.map(valueOf).join(", ")})`
    },
    parameters: written.map((_, at) => parameter(at)).join(", "),
    parameterCount: 1 + written.length,
    parameter: (name) => parameter(written.findIndex((column) => column.name === name)),
    columns: own.map(({ name }) => name)
  }
}

const writingOf = <Entity extends Owned>({
  computed,
  own,
  written
}: Layout<Entity>): Pick<Table<Entity>, "params" | "record" | "changes"> => {
  const recomputed = Object.entries(computed).map(([column, { from, value }]) => ({
    name: columnOf("", column).name,
    from,
    value
  }))
  const computations = recomputed.map(({ value }) => value)
  const stored = ({ path }: Column, at: number) =>
    at < own.length ? `entity.${path}` : `computations[${at - own.length}](entity)`
  const values = compile<undefined, Entity, Values>(
    "_",
    "entity",
    `[${own.map(({ path }) => `entity.${path}`).join(", ")}]`
  )(undefined)
  return {
    params: compile<typeof computations, Entity, Params>(
      "computations",
      "entity",
      `[entity.owner, ${written.map(stored).join(", ")}]`
    )(computations),
    record: compile<typeof computations, Entity, Readonly<Record<string, unknown>>>(
      "computations",
      "entity",
      `{ ${written.map((column, at) => `${column.name}: ${unlessBlank(stored(column, at), column.type)}`).join(", ")} }`
    )(computations),
    changes: (before, after) => {
      const [old, now] = [values(before), values(after)]
      const changed: Record<string, unknown> = {}
      for (const [at, { name }] of own.entries()) if (!isSame(old[at], now[at])) changed[name] = now[at]
      for (const { from, name, value } of recomputed)
        if (from.some((field) => !isSame(before[field], after[field]))) changed[name] = value(after)
      return changed
    }
  }
}

const readingOf = <Entity extends Owned>({
  flags,
  own,
  shape,
  single
}: Layout<Entity>): Pick<Table<Entity>, "ofValues" | "ofRow" | "ofText"> => {
  const types = new Map(own.map(({ name, type }) => [name, type]))
  const entityOf = (value: (name: string) => string) => `{ owner, ${literalOf(shape, value)} }`
  const ofRow = compile<AccountId, Row, Entity>(
    "owner",
    "row",
    entityOf((name) => `row.${name}`)
  )
  return {
    ofValues: compile(
      "owner",
      "values",
      entityOf((name) => {
        const bit = flags.findIndex((each) => each.name === name)
        const at = single.findIndex((each) => each.name === name)
        return bit < 0
          ? `values[${at}]${single[at]!.type === "text[]" ? " ?? []" : ""}`
          : `(values[${single.length}] & ${1 << bit}) !== 0`
      })
    ),
    ofRow,
    ofText: (owner) => (columns, row) =>
      ofRow(owner)(
        Object.fromEntries(fieldsOf(row).map((value, at) => [columns[at]!, valueOf(value, types.get(columns[at]!))]))
      )
  }
}

/** The value of a column of that type, from its text form. */
const valueOf = (text: string | null, type = "text"): unknown => {
  if (text === null) return null
  if (type === "boolean") return text === "t"
  if (type === "text[]") return textsOf(text)
  return type === "text" || type === "uuid" ? text : Number(text)
}

/** The default for a column that is omitted from a record. A text is never null where records are used. */
const blanks: Readonly<Record<string, string>> = {
  boolean: "false",
  bigint: "0",
  integer: "0",
  "double precision": "0",
  text: "''",
  "text[]": "'{}'"
}

const filled = (value: string, type: string): string => (type in blanks ? `coalesce(${value}, ${blanks[type]})` : value)

const unlessBlank = (value: string, type: string): string =>
  type === "text[]" ? `(${value}.length === 0 ? undefined : ${value})` : `(${value} || undefined)`

/** Whether two values of a field are equal: a scalar, or an array of texts. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, at) => each === b[at]))

/** A column in the form that the driver reads fastest; an array without elements as null. */
const readAs = (column: string, type: string): string => {
  if (type === "text[]") return `case when cardinality(${column}) > 0 then ${column} end`
  return `${column}${{ bigint: "::float8", uuid: "::text" }[type] ?? ""}`
}

const columnOf = (path: string, column: string): Column => {
  const [name = "", ...type] = column.split(" ")
  return { path, name, type: type.join(" ") }
}

const columnsIn = (shape: object, within = ""): ReadonlyArray<Column> =>
  Object.entries(shape).flatMap(([key, value]: [string, string | object]) =>
    typeof value === "string" ? [columnOf(within + key, value)] : columnsIn(value, `${within}${key}.`)
  )

/** The fields of an object literal in the shape; `value` is the expression for the value of a column. */
const literalOf = (shape: object, value: (name: string) => string): string =>
  Object.entries(shape)
    .map(([key, column]: [string, string | object]) =>
      typeof column === "string"
        ? `${key}: ${value(columnOf(key, column).name)}`
        : `${key}: { ${literalOf(column, value)} }`
    )
    .join(", ")

/**
 * The function `(given) => (input) => result`. A literal written out for all columns is several times faster than a loop
 * over them: half a millisecond in place of three per 10,000 things.
 */
const compile = <Given, Input, Result>(
  given: string,
  input: string,
  result: string
): ((given: Given) => (input: Input) => Result) =>
  // oxlint-disable-next-line no-new-func
  new Function(given, `return (${input}) => (${result})`) as (given: Given) => (input: Input) => Result
