/**
 * Counters of what lists and accounts hold, maintained by every write that changes it. This migration counts nothing,
 * since that would lock every list for as long as it takes: `counted_at` is null until the first write of an account
 * counts what it has (ADR 40). The previous version can run beside this one.
 */
const counts = ["lists", "accounts"].map(
  (table) => `alter table ${table}
    add column thing_count bigint not null default 0,
    add column content_bytes bigint not null default 0,
    add column counted_at bigint`
)

/**
 * Like `append_things`, which stays for the previous version, with a check of the limits of list and account, and dates
 * as `dateOf` computes them with that `tolerance`. Answers `no room` when the thing does not fit, and when the counters
 * are stale because an older version wrote there.
 */
const appendThings = `
create function append_things_within(clock bigint, given_stamp bigint, waits boolean, items json,
  list_things bigint, list_bytes bigint, account_things bigint, account_bytes bigint, tolerance bigint,
  out item integer, out outcome text, out at_stamp double precision, out at_date double precision,
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
      header boolean, subheader boolean, quote boolean, code boolean, note text, tag_keys text[], tag_names text[])
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
    outcome := 'added';
    at_stamp := stamp;
    at_date := date;
    at_rank := new_rank;
    at_seq := new_seq;
    return next;
  end loop;
end
$$`

export const version = 5
export const name = "Sizes"
export const statements: ReadonlyArray<string> = [...counts, appendThings]
