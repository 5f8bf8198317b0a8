import * as Tables from "../packages/storage-pg/src/Tables.ts"
const lists = Tables.lists, reminders = Tables.reminders
const ofSmallList = (by: "id" | "day"): string => `and t.list_id = (
    select l.id from lists l where l.owner_id = $1 and l.${by} = $2
      and l.counted_at = l.updated and l.content_bytes <= $3::bigint and l.thing_count <= $4::bigint
  ) order by t.rank, t.seq, t.id`
const select = `select ${Tables.things.packed} from things t where t.owner_id = $1`
const ofList = (list: string): string => `and r.thing_id in (
    select coalesce(t.clone_of, t.id) from things t where t.owner_id = $1 and t.list_id = ${list})`
const rsel = `select ${reminders.selected} from reminders r where r.owner_id = $1`
const day = "2030-01-01"
const both = (cond: string) => `select ${Tables.things.packed}, (select row_to_json(found) from (
      select ${reminders.selected} from reminders r
      where r.owner_id = $1 and r.thing_id = coalesce(t.clone_of, t.id)) as found) as reminder from things t where t.owner_id = $1 ${cond}`
const joined = (cond: string) => `select ${Tables.things.packed}, case when r.id is not null then row_to_json((select x from (select ${reminders.selected}) x)) end as reminder from things t left join reminders r on r.owner_id = $1 and r.thing_id = coalesce(t.clone_of, t.id) where t.owner_id = $1 ${cond}`
export const statements: any = {
  one: () => ({ text: "select 1", values: () => [] }),
  list: ({ owner }: any) => ({ text: `select ${lists.selected} from lists l where l.owner_id = $1 and l.day = $2`, values: () => [owner, day] }),
  things: ({ owner }: any) => ({ text: `${select} ${ofSmallList("day")}`, values: () => [owner, day, 1e6, 5000] }),
  reminders: ({ owner }: any) => ({ text: `${rsel} ${ofList("(select l.id from lists l where l.owner_id = $1 and l.day = $2)")}`, values: () => [owner, day] }),
  both: ({ owner }: any) => ({ text: both(ofSmallList("day")), values: () => [owner, day, 1e6, 5000] }),
  joined: ({ owner }: any) => ({ text: joined(ofSmallList("day")), values: () => [owner, day, 1e6, 5000] }),
  things100: ({ owner, hundred }: any) => ({ text: `${select} ${ofSmallList("id")}`, values: () => [owner, hundred, 1e6, 5000] }),
  reminders100: ({ owner, hundred }: any) => ({ text: `${rsel} ${ofList("$2")}`, values: () => [owner, hundred] }),
  both100: ({ owner, hundred }: any) => ({ text: both(ofSmallList("id")), values: () => [owner, hundred, 1e6, 5000] }),
}
