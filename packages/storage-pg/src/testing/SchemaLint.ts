import { accountTables, ownedTables } from "../OwnedTables.ts"

const names = (tables: ReadonlyArray<string>): string =>
  `array[${tables.map((table) => `'${table}'`).join(", ")}]::text[]`

/**
 * SQL for what keeps the tables with accounts' data from being distributed by owner, a row per finding: a constraint that
 * spans accounts cannot be checked on one server, and what is not deleted with an account stays for good.
 */
export const schemaLint = `with data as (
    select c.oid, c.relname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'owner_id' and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and c.relname <> all (${names(accountTables)})
  ), owner as (
    select a.attrelid, a.attnum from pg_attribute a where a.attname = 'owner_id'
  ), reference as (
    select k.conname, k.conrelid, k.confrelid, k.confdeltype, k.conrelid::regclass::text as from_table,
      k.confrelid::regclass::text as to_table, exists (
        select from unnest(k.conkey, k.confkey) as pair (here, there)
        join owner h on h.attrelid = k.conrelid and h.attnum = pair.here
        join owner t on t.attrelid = k.confrelid and t.attnum = pair.there
      ) as has_owner
    from pg_constraint k where k.contype = 'f'
  ), finding as (
    select format('The unique index %s of %s is without the owner.', i.indexrelid::regclass, d.relname) as text
      from data d join pg_index i on i.indrelid = d.oid and i.indisunique
      where not exists (select from owner o where o.attrelid = d.oid and o.attnum = any (i.indkey))
    union all select format('The foreign key %s of %s is without the owner.', r.conname, r.from_table)
      from reference r join data d on d.oid = r.conrelid
      where not r.has_owner and r.confrelid in (select d.oid from data d)
    union all select format('The foreign key %s ties %s to %s, which lies on another server.', r.conname, r.from_table, r.to_table)
      from reference r where (r.conrelid in (select oid from data)) <> (r.confrelid in (select oid from data))
    union all select format('The foreign key %s of %s sets a column on delete, which Citus refuses with the owner in it.',
        r.conname, r.from_table)
      from reference r join data d on d.oid = r.conrelid where r.confdeltype in ('n', 'd')
    union all select format('%s is not deleted with its account: name it in OwnedTables.ts.', d.relname)
      from data d where d.relname <> all (${names(["write_clocks", ...ownedTables.map(({ table }) => table)])})
      and not exists (
        select from reference r join data t on t.oid = r.confrelid where r.conrelid = d.oid and r.confdeltype = 'c'
      )
  )
  select text from finding order by text`
