/**
 * An account's lock and its last write timestamp, beside the data that they are for, and with them what every write of
 * data keeps of its account: counters, and where the history begins (ADR 87). `accounts` keeps its columns while a
 * program of an earlier schema may be connected. Until migration 12, triggers keep both alike, and a program that knows
 * `write_clocks` locks the account in `accounts` first, as the earlier ones do.
 */
export const version = 11
export const name = "WriteClocks"

export const movedColumns = [
  "last_write",
  "counted_at",
  "thing_count",
  "content_bytes",
  "image_bytes",
  "history_from",
  "settings_changed"
]

const of = (row: string): string => movedColumns.map((column) => `${row}.${column}`).join(", ")

const writeClocks = `create table if not exists write_clocks (
  owner_id uuid primary key,
  last_write bigint not null default 0,
  counted_at bigint,
  thing_count bigint not null default 0,
  content_bytes bigint not null default 0,
  image_bytes bigint not null default 0,
  history_from bigint not null default 0,
  settings_changed bigint not null default 0
) with (fillfactor = 50)`

const mirrorAccount = `create or replace function mirror_account() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from write_clocks w where w.owner_id = old.id;
  else
    insert into write_clocks as w (owner_id, ${movedColumns.join(", ")}) values (new.id, ${of("new")})
      on conflict (owner_id) do update set ${movedColumns.map((column) => `${column} = excluded.${column}`).join(", ")}
      where (${of("w")}) is distinct from (${of("excluded")});
  end if;
  return null;
end
$$`

const mirrorWriteClock = `create or replace function mirror_write_clock() returns trigger language plpgsql as $$
begin
  update accounts a set ${movedColumns.map((column) => `${column} = new.${column}`).join(", ")}
    where a.id = new.owner_id and (${of("a")}) is distinct from (${of("new")});
  return null;
end
$$`

const triggers = [
  `create or replace trigger accounts_mirrored after insert or delete or update of ${movedColumns.join(", ")} on accounts
    for each row execute function mirror_account()`,
  `create or replace trigger write_clocks_mirrored after update on write_clocks for each row
    when (old.* is distinct from new.*) execute function mirror_write_clock()`
]

/** After the triggers, whose creation locks `accounts` against writes until the migration is committed. */
const fill = `insert into write_clocks (owner_id, ${movedColumns.join(", ")}) select a.id, ${of("a")} from accounts a
  on conflict (owner_id) do nothing`

/** Answers for every item when the account's row in `accounts` is not there, or held by a program that locks only it. */
const lockBesideOlder = `
  if waits then
    perform from accounts a where a.id = owner for no key update;
  else
    perform from accounts a where a.id = owner for no key update skip locked;
  end if;
  if not found then
    outcome := case when exists (select from accounts a where a.id = owner) then 'held' else 'no account' end;
    for item in select i.item from json_to_recordset(items) as i (item integer) loop
      return next;
    end loop;
    return;
  end if;`

/**
 * Appends things of one account to their lists in one round trip, as `append_things_recorded` did for several, which
 * stays for the previous version. Every statement of a function sees what was committed before the statement began, so
 * positions are read after the account is locked. A thing that has an `operation`, the last 20 hexadecimal digits of its
 * id, has that operation added.
 */
export const appendToAccount = (besideOlder: boolean): string => `
create or replace function append_to_account(owner uuid, clock bigint, given_stamp bigint, waits boolean, items json,
  list_things bigint, list_bytes bigint, account_things bigint, account_bytes bigint, tolerance bigint,
  has_images boolean, out item integer, out outcome text, out at_stamp double precision, out at_date double precision,
  out at_rank double precision, out at_seq double precision) returns setof record
language plpgsql as $$
declare
  g record;
  size bigint;
  stamp bigint;
  date bigint;
  last_rank bigint;
  last_seq bigint;
  new_rank bigint;
  new_seq bigint;
begin${besideOlder ? lockBesideOlder : ""}
  for g in
    select * from json_to_recordset(items) as i (item integer, list_id uuid, id uuid, tabs integer,
      favorited boolean, text text, text_hash uuid, search text, type text, url text, url_hash uuid, tags text[],
      photos text[], completed boolean, canceled boolean, bold boolean, italic boolean, underline boolean,
      header boolean, subheader boolean, quote boolean, code boolean, note text, tag_keys text[], tag_names text[],
      operation text, operation_name text, surface text, by_type text, by_id text, by_name text, request_id text,
      summary text)
    order by i.item
  loop
    item := g.item;
    at_stamp := null;
    at_date := null;
    at_rank := null;
    at_seq := null;
    size := octet_length(g.text) + octet_length(g.note) + octet_length(g.url)
      + octet_length(array_to_string(g.photos || g.tags, ''));
    if waits then
      update write_clocks w set last_write = coalesce(given_stamp, greatest(w.last_write + 1, clock)),
          counted_at = coalesce(given_stamp, greatest(w.last_write + 1, clock)),
          thing_count = w.thing_count + 1, content_bytes = w.content_bytes + size
        where w.owner_id = owner and w.counted_at = w.last_write
          and w.thing_count < account_things and w.content_bytes + size <= account_bytes
        returning w.last_write into stamp;
    else
      update write_clocks w set last_write = greatest(w.last_write + 1, clock),
          counted_at = greatest(w.last_write + 1, clock),
          thing_count = w.thing_count + 1, content_bytes = w.content_bytes + size
        where w.owner_id = (select l.owner_id from write_clocks l where l.owner_id = owner
            for no key update skip locked)
          and w.counted_at = w.last_write
          and w.thing_count < account_things and w.content_bytes + size <= account_bytes
        returning w.last_write into stamp;
    end if;
    if not found then
      if not exists (select from write_clocks w where w.owner_id = owner) then
        outcome := 'no account';
      elsif waits then
        outcome := 'no room';
      else
        perform from write_clocks w where w.owner_id = owner for no key update skip locked;
        outcome := case when found then 'no room' else 'held' end;
      end if;
      return next;
      continue;
    end if;
    update lists l set updated = stamp, counted_at = stamp, thing_count = l.thing_count + 1,
        content_bytes = l.content_bytes + size
      where l.owner_id = owner and l.id = g.list_id and l.counted_at = l.updated
        and l.thing_count < list_things and l.content_bytes + size <= list_bytes;
    if not found then
      update write_clocks w set thing_count = w.thing_count - 1, content_bytes = w.content_bytes - size
        where w.owner_id = owner;
      outcome := case when exists (select from lists l where l.owner_id = owner and l.id = g.list_id)
        then 'no room' else 'no list' end;
      return next;
      continue;
    end if;
    select t.rank, t.seq into last_rank, last_seq from things t
      where t.owner_id = owner and t.list_id = g.list_id order by t.rank desc, t.seq desc limit 1;
    date := case when stamp - clock > tolerance then clock else stamp end;
    new_rank := greatest(date, last_rank);
    new_seq := case when last_rank = new_rank then last_seq + 1 else 0 end;
    insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash,
        search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header,
        subheader, quote, code, note, created, updated)
      values (owner, g.id, g.list_id, new_rank, new_seq, g.tabs, g.favorited, null, false, g.text, g.text_hash,
        g.search, g.type, g.url, g.url_hash, g.tags, g.photos, null, g.completed, g.canceled, g.bold, g.italic,
        g.underline, g.header, g.subheader, g.quote, g.code, g.note, date, stamp);
    if g.tag_keys <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select owner, g.id, tag.key, tag.name, date, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key);
    end if;
    if g.operation is not null then
      insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, request_id, summary,
          has_images, settings, things, touched_lists)
        values (owner, stamp, (lpad(to_hex(stamp), 12, '0') || g.operation)::uuid, g.operation_name, g.surface,
          g.by_type, g.by_id, g.by_name, g.request_id, g.summary, has_images, false, array[g.id], array[g.list_id]);
    end if;
    outcome := 'added';
    at_stamp := stamp;
    at_date := date;
    at_rank := new_rank;
    at_seq := new_seq;
    return next;
  end loop;
end
$$`

export const statements: ReadonlyArray<string> = [
  writeClocks,
  mirrorAccount,
  mirrorWriteClock,
  ...triggers,
  fill,
  appendToAccount(true)
]
