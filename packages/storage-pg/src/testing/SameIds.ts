interface Copied {
  readonly name: string
  /** What a copy has in place of the values of its row, so that it is told apart. */
  readonly marks?: Readonly<Record<string, string>>
  /** What it also has where the other account has an older copy of the same day or name, by SQL. */
  readonly apart?: readonly [column: string, value: string]
  /** The rows that it refers to: table and column. */
  readonly parents?: ReadonlyArray<readonly [table: string, column: string]>
}

const mark = "of the other account"

const tables: ReadonlyArray<Copied> = [
  { name: "write_clocks" },
  { name: "lists", marks: { title: mark }, apart: ["day", "null"] },
  { name: "places", marks: { name: mark }, apart: ["name_key", "new.id::text"] },
  { name: "things", marks: { text: mark, note: mark }, parents: [["lists", "list_id"]] },
  { name: "thing_tags", marks: { name: mark }, parents: [["things", "thing_id"]] },
  {
    name: "reminders",
    marks: { color: "#123456" },
    parents: [
      ["things", "thing_id"],
      ["places", "place_id"]
    ]
  },
  { name: "operations", marks: { id: "ffffffff-ffff-7fff-8fff-ffffffffffff", summary: mark } },
  { name: "operation_images" },
  { name: "receipts", marks: { answer: mark } },
  { name: "webhooks", marks: { description: mark } }
]

const isCopy = (row: "old" | "new"): string => `${row}.owner_id::text like 'ffffffff-%'`

const otherOwner = "('ffffffff' || substr(new.owner_id::text, 9))::uuid"

const insert = (table: string, values: string): string => `insert into ${table}
      select copied.* from jsonb_populate_record(new, ${values}) as copied on conflict do nothing;`

const copy = ({ apart, marks = {}, name }: Copied): string => {
  const values = `jsonb_build_object('owner_id', ${otherOwner}) || '${JSON.stringify(marks)}'`
  if (apart === undefined) return insert(name, values)
  const [column, value] = apart
  return insert(name, values) + insert(name, `${values} || jsonb_build_object('${column}', ${value})`)
}

/** A statement may add a row before the one that it refers to. */
const copyParent = ([table, column]: readonly [string, string]): string =>
  `perform copy_of_${table}(p) from ${table} p where p.owner_id = new.owner_id and p.id = new.${column};`

/**
 * SQL that gives every account another one whose rows have the same ids, dates and keys: each row that is added is added
 * for that account as well, with other texts. A statement that changes or removes such a copy fails. The other accounts
 * have no row in `accounts`.
 */
export const sameIds: ReadonlyArray<string> = tables.flatMap((each) => {
  const { name, parents = [] } = each
  return [
    `create function copy_of_${name}(new ${name}) returns void language plpgsql as $$ begin
      ${parents.map(copyParent).join(" ")} ${copy(each)}
    end $$`,
    `create function copy_${name}() returns trigger language plpgsql as $$ begin
      perform copy_of_${name}(new);
      return null;
    end $$`,
    `create trigger copy after insert on ${name} for each row when (not ${isCopy("new")})
      execute function copy_${name}()`,
    `create function guard_${name}() returns trigger language plpgsql as $$ begin
      raise exception '% of what another account has in ${name}', tg_op;
    end $$`,
    `create trigger guard before update or delete on ${name} for each row when (${isCopy("old")})
      execute function guard_${name}()`
  ]
})
