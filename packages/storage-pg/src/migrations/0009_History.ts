/**
 * The history of each account: a row per write that changed something, and copies of what it changed, as it was before.
 * Recorded by the statements of the stores themselves (ADR 60); programs of earlier schemas record nothing.
 *
 * In `operations`, arrays without elements are null, so that a row stays narrow. `things` and the like are the entities
 * that were changed, in ascending order; `deleted` those of them that are gone; `reminded_things` the things of
 * `reminders`. Lists in `touched_lists` and things in `shifted_things` only moved.
 *
 * In `operation_images`, `part` is the order within the write: of several images of an entity the first one counts.
 * `images` is null where none are kept.
 */
const tables = `
create table if not exists operations (
  owner_id uuid not null references accounts (id) on delete cascade,
  stamp bigint not null,
  id uuid not null,
  name text not null,
  surface text not null,
  by_type text not null,
  by_id text not null,
  by_name text not null,
  request_id text,
  summary text not null,
  undoes uuid,
  undone_by uuid,
  has_images boolean not null,
  settings boolean not null,
  lists uuid[],
  things uuid[],
  reminders uuid[],
  places uuid[],
  deleted uuid[],
  reminded_things uuid[],
  touched_lists uuid[],
  shifted_things uuid[],
  primary key (owner_id, stamp)
);
create index if not exists operations_ids on operations
  using gin ((lists || things || reminders || places || reminded_things || touched_lists))
  with (gin_pending_list_limit = 1024);

create table if not exists operation_images (
  owner_id uuid not null references accounts (id) on delete cascade,
  stamp bigint not null,
  part integer not null,
  type text not null check (type in ('account', 'place', 'list', 'thing', 'reminder', 'shifted')),
  ids uuid[] not null,
  things uuid[],
  images jsonb[],
  bytes integer not null,
  primary key (owner_id, stamp, part)
);

alter table accounts
  add column if not exists image_bytes bigint not null default 0,
  add column if not exists history_from bigint not null default 0,
  add column if not exists settings_changed bigint not null default 0;

alter table receipts add column if not exists stamp bigint;

alter table operations alter column owner_id set statistics 0;
alter table operation_images alter column owner_id set statistics 0`

/**
 * Like `append_things_within`, which stays for the previous version; also adds the operation of each thing that has an
 * `operation`: the last 20 hexadecimal digits of its id.
 */
const appendThings = `
create or replace function append_things_recorded(clock bigint, given_stamp bigint, waits boolean, items json,
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
begin
  for g in
    select * from json_to_recordset(items) as i (item integer, owner_id uuid, list_id uuid, id uuid, tabs integer,
      favorited boolean, text text, text_hash uuid, search text, type text, url text, url_hash uuid, tags text[],
      photos text[], completed boolean, canceled boolean, bold boolean, italic boolean, underline boolean,
      header boolean, subheader boolean, quote boolean, code boolean, note text, tag_keys text[], tag_names text[],
      operation text, operation_name text, surface text, by_type text, by_id text, by_name text, request_id text,
      summary text)
    order by i.owner_id, i.item
  loop
    item := g.item;
    at_stamp := null;
    at_date := null;
    at_rank := null;
    at_seq := null;
    size := octet_length(g.text) + octet_length(g.note) + octet_length(g.url)
      + octet_length(array_to_string(g.photos || g.tags, ''));
    if waits then
      update accounts a set last_write = coalesce(given_stamp, greatest(a.last_write + 1, clock)),
          counted_at = coalesce(given_stamp, greatest(a.last_write + 1, clock)),
          thing_count = a.thing_count + 1, content_bytes = a.content_bytes + size
        where a.id = g.owner_id and a.counted_at = a.last_write
          and a.thing_count < account_things and a.content_bytes + size <= account_bytes
        returning a.last_write into stamp;
    else
      update accounts a set last_write = greatest(a.last_write + 1, clock),
          counted_at = greatest(a.last_write + 1, clock),
          thing_count = a.thing_count + 1, content_bytes = a.content_bytes + size
        where a.id = (select l.id from accounts l where l.id = g.owner_id for no key update skip locked)
          and a.counted_at = a.last_write
          and a.thing_count < account_things and a.content_bytes + size <= account_bytes
        returning a.last_write into stamp;
    end if;
    if not found then
      if not exists (select from accounts a where a.id = g.owner_id) then
        outcome := 'no account';
      elsif waits then
        outcome := 'no room';
      else
        perform from accounts a where a.id = g.owner_id for no key update skip locked;
        outcome := case when found then 'no room' else 'held' end;
      end if;
      return next;
      continue;
    end if;
    update lists l set updated = stamp, counted_at = stamp, thing_count = l.thing_count + 1,
        content_bytes = l.content_bytes + size
      where l.owner_id = g.owner_id and l.id = g.list_id and l.counted_at = l.updated
        and l.thing_count < list_things and l.content_bytes + size <= list_bytes;
    if not found then
      update accounts a set thing_count = a.thing_count - 1, content_bytes = a.content_bytes - size
        where a.id = g.owner_id;
      outcome := case when exists (select from lists l where l.owner_id = g.owner_id and l.id = g.list_id)
        then 'no room' else 'no list' end;
      return next;
      continue;
    end if;
    select t.rank, t.seq into last_rank, last_seq from things t
      where t.owner_id = g.owner_id and t.list_id = g.list_id order by t.rank desc, t.seq desc limit 1;
    date := case when stamp - clock > tolerance then clock else stamp end;
    new_rank := greatest(date, last_rank);
    new_seq := case when last_rank = new_rank then last_seq + 1 else 0 end;
    insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash,
        search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header,
        subheader, quote, code, note, created, updated)
      values (g.owner_id, g.id, g.list_id, new_rank, new_seq, g.tabs, g.favorited, null, false, g.text, g.text_hash,
        g.search, g.type, g.url, g.url_hash, g.tags, g.photos, null, g.completed, g.canceled, g.bold, g.italic,
        g.underline, g.header, g.subheader, g.quote, g.code, g.note, date, stamp);
    if g.tag_keys <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select g.owner_id, g.id, tag.key, tag.name, date, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key);
    end if;
    if g.operation is not null then
      insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, request_id, summary,
          has_images, settings, things, touched_lists)
        values (g.owner_id, stamp, (lpad(to_hex(stamp), 12, '0') || g.operation)::uuid, g.operation_name, g.surface,
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

export const version = 9
export const name = "History"
export const statements: ReadonlyArray<string> = [...tables.split(/;\n/), appendThings]
