import type { TestServer } from "./TestServer.ts"

/**
 * For 10 owners. Of a million things the first owner has 190,000, 50,000 of them in one list; the others have equal
 * shares.
 */
export const things = 1_000_000
export const ownerId = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
export const listId = (owner: number, n: number): string =>
  `00000000-0000-7001-8${String(owner).padStart(3, "0")}-${String(n).padStart(12, "0")}`

const listsEach = 400
const start = 1_700_000_000_000

const uuid = (kind: string, owner: string, n: string) =>
  `('00000000-0000-${kind}-8' || lpad((${owner})::text, 3, '0') || '-' || lpad((${n})::text, 12, '0'))::uuid`

const accounts = `insert into accounts (id, email, email_key, name, timezone, default_thing_type, default_list_sort,
    default_reminder_minutes, default_alert_minutes, default_reminder_color, repeat_moves_to_day, created)
  select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@example.com', n || '@example.com', '',
    'UTC', 'todo', 'chronological', 0, 0, '', true, ${start} from generate_series(0, 9) n`

const clocks = "insert into write_clocks (owner_id) select id from accounts on conflict do nothing"

const words = `create table words as select n as k, substr(md5(n::text), 1, 4 + n % 6) as word from generate_series(0, 4999) n`

const lists = `insert into lists (owner_id, id, title, title_key, search, emoji, day, favorited, archived, sort, created,
    updated)
  select a.id, ${uuid("7001", "o", "n")}, w.word || ' list ' || n, w.word || ' list ' || n,
    E'\\x01' || w.word || E' \\x02list \\x02' || n || E'\\x01', '', case when n >= 300 then
      to_char(date '2026-01-01' + n::int, 'YYYY-MM-DD') end, false, n % 10 = 9, 'chronological',
    ${start} + n * 1000, ${start} + (n * 7919 % 400) * 1000
  from (select id, (row_number() over (order by id) - 1)::int as o from accounts) a
  cross join generate_series(0, ${listsEach - 1}) n join words w on w.k = (n * 13 + o) % 5000`

/** The first tenth belongs to the first owner only; every tenth day list stays empty. */
const fill = (
  things: number
) => `insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text,
    text_hash, search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline,
    header, subheader, quote, code, note, created, updated)
  select ('00000000-0000-7000-8000-' || lpad(o::text, 12, '0'))::uuid, ${uuid("7002", "o", "n")},
    ${uuid("7001", "o", "l")}, ${start} + n::bigint * 50, 0, 0, false, null, false, t, md5(t)::uuid,
    E'\\x01' || replace(t, ' ', E' \\x02') || E'\\x01', (array['todo', 'todo', 'todo', 'none', 'bullet', 'dash'])[1 + n % 6],
    case when n % 50 = 0 then 'https://example.com/' || n else '' end,
    case when n % 50 = 0 then md5('https://example.com/' || n)::uuid end,
    case when n % 10 = 0 then array['tag' || n % 70] else '{}'::text[] end, '{}', null, n % 100 < 40, false, false,
    false, false, false, false, false, false, '', ${start} + n::bigint * 50, ${start} + (n::bigint * 7919 % ${things}) * 50
  from (
    select n, case when n < ${things / 10} then 0 else n % 10 end as o,
      case when n < ${things / 20} then 0 else n * 31 % 370 end as l,
      'item ' || a.word || ' ' || b.word || ' ' || c.word || ' ' || n as t
    from generate_series(0, ${things - 1}) n
    join words a on a.k = n % 5000 join words b on b.k = n * 7 % 4999 join words c on c.k = n * 3 % 4998
  ) s`

const tags = `insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
  select owner_id, id, tags[1], tags[1], created, updated from things where tags <> '{}'`

const reminders = `insert into reminders (owner_id, thing_id, id, at, all_day, first, repeat, every, days,
    alert_minutes, second_alert_minutes, color, created)
  select owner_id, id, id, created + 100000000, false, '', 'none', 1, '{}', 0, 0, '', created
  from things where created % 1000 = 0`

/** Fills an empty, migrated database. Builds the indexes afterwards, which is many times faster. */
export const fillThings = async (server: TestServer, database: string, count = things): Promise<void> => {
  const sql = (text: string) => server.sql(text, database)
  const secondary = await sql(`select indexname, indexdef from pg_indexes i where schemaname = 'public'
    and not exists (select 1 from pg_constraint c where c.conname = i.indexname)`)
  for (const { indexname } of secondary) await sql(`drop index "${String(indexname)}"`)
  await sql(`alter database "${database}" set session_replication_role = replica`)
  for (const step of [accounts, clocks, words, lists, fill(count), tags, reminders]) await sql(step)
  await sql(`alter database "${database}" reset session_replication_role`)
  for (const { indexdef } of secondary) await sql(String(indexdef))
  await sql("vacuum analyze")
}
