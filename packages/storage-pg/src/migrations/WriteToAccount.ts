const columns = `t.id, t.list_id, t.rank::float8, t.seq::float8, t.tabs, t.favorited, t.clone_of, t.has_clones, t.text,
          t.type, t.url, t.tags, t.photos, t.list_ref, t.completed, t.canceled, t.bold, t.italic, t.underline,
          t.header, t.subheader, t.quote, t.code, t.note, t.markup, t.created::float8, t.updated::float8`

const flags = ["completed", "canceled", "bold", "italic", "underline", "header", "subheader", "quote", "code"]
const flag = (column: string): string => `coalesce(g.${column}, false)`
const text = (column: string): string => `coalesce(g.${column}, '')`

const sizeOf = (row: string): string =>
  `${["text", "note", "url"].map((column) => `coalesce(octet_length(${row}.${column}), 0)`).join(" + ")}
        + coalesce(octet_length(array_to_string(${row}.photos || ${row}.tags, '')), 0)`

const lockAccount = `select w.last_write, coalesce(w.counted_at = w.last_write, false) as counted,
        w.thing_count as things, w.content_bytes as bytes
      into account from write_clocks w where w.owner_id = owner for no key update`

const touchList = `update lists l set updated = list_stamp,
          counted_at = case when list.counted then list_stamp else l.counted_at end,
          thing_count = l.thing_count + list_added, content_bytes = l.content_bytes + list_growth
        where l.owner_id = owner and l.id = current_list;`

/** Columns that keep their value where an item has none. */
const revised = [
  ...["tabs", "favorited", "text", "text_hash", "search", "type", "url", "tags", "photos", "note", "markup"],
  ...flags
]

/** Answers for every item when the account's row in `accounts` is not there, or held by a program that locks only it. */
const lockForOlderWriters = `
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
 * Writes the items of one account, in one round trip and one commit: appends new things to their lists, and revises
 * those that have an `expected` time of their last change. Each item is a write of its own, with a write timestamp
 * of its own, unless there is a `given_stamp`. An item with an `operation`, the last 20 hexadecimal digits of its id,
 * has that operation added. A revised thing keeps the columns that its item does not have; a new one has them blank.
 *
 * Every statement of a function sees what was committed before the statement began, so all is read after the account is
 * locked. The account, and each list for as long as items are of the same list, are updated once for all items.
 *
 * Outcomes: `written`; `held` by another transaction, when it may not wait; `no account`; `no list`; `no room`, also when
 * counters are stale; `changed`, of a thing that is not plain, or no longer as it is expected.
 */
export const writeToAccount = (hasOlderWriters: boolean): string => `
create or replace function write_to_account(owner uuid, clock bigint, given_stamp bigint, waits boolean, items json,
  list_things bigint, list_bytes bigint, account_things bigint, account_bytes bigint, tolerance bigint,
  keeps_images boolean, out item integer, out outcome text, out at_stamp double precision, out at_date double precision,
  out at_rank double precision, out at_seq double precision) returns setof record
language plpgsql as $$
declare
  account record;
  is_written boolean := false;
  last_stamp bigint;
  account_added bigint := 0;
  account_growth bigint := 0;
  image_growth bigint := 0;

  list record;
  current_list uuid;
  list_stamp bigint;
  list_added bigint := 0;
  list_growth bigint := 0;
  end_of uuid;
  last_rank bigint;
  last_seq bigint;

  g record;
  old record;
  home uuid;
  stamp bigint;
  date bigint;
  growth bigint;
  image jsonb[];
begin${hasOlderWriters ? lockForOlderWriters : ""}
  if waits then
    ${lockAccount};
  else
    ${lockAccount} skip locked;
  end if;
  if not found then
    outcome := case when exists (select from write_clocks w where w.owner_id = owner) then 'held' else 'no account' end;
    for item in select i.item from json_to_recordset(items) as i (item integer) loop
      return next;
    end loop;
    return;
  end if;
  last_stamp := account.last_write;
  for g in
    select * from json_to_recordset(items) as i (item integer, expected bigint, list_id uuid, id uuid, tabs integer,
      favorited boolean, text text, text_hash uuid, search text, type text, url text, url_hash uuid, tags text[],
      photos text[], completed boolean, canceled boolean, bold boolean, italic boolean, underline boolean,
      header boolean, subheader boolean, quote boolean, code boolean, note text, markup text, tag_keys text[],
      tag_names text[], is_same boolean, operation text, operation_name text, surface text, by_type text, by_id text,
      by_name text, request_id text, summary text)
  loop
    item := g.item;
    at_stamp := null;
    at_date := null;
    at_rank := null;
    at_seq := null;
    stamp := coalesce(given_stamp, greatest(last_stamp + 1, clock));

    if g.expected is null then
      home := g.list_id;
      growth := ${sizeOf("g")};
    else
      select ${columns} into old from things t
        where t.owner_id = owner and t.id = g.id and t.updated = g.expected and t.clone_of is null and not t.has_clones
          and not exists (select from reminders r where r.owner_id = owner and r.thing_id = g.id);
      if not found then
        outcome := 'changed';
        return next;
        continue;
      end if;
      home := old.list_id;
      growth := 0;
      if coalesce(g.text, g.note, g.url) is not null or coalesce(g.photos, g.tags) is not null then
        growth := octet_length(coalesce(g.text, old.text)) + octet_length(coalesce(g.note, old.note))
          + octet_length(coalesce(g.url, old.url))
          + octet_length(array_to_string(coalesce(g.photos, old.photos) || coalesce(g.tags, old.tags), ''))
          - (${sizeOf("old")});
      end if;
    end if;

    if current_list is distinct from home then
      if list_stamp is not null then
        ${touchList}
      end if;
      list_stamp := null;
      list_growth := 0;
      list_added := 0;
      current_list := home;
      select coalesce(l.counted_at = l.updated, false) as counted, l.thing_count as things, l.content_bytes as bytes
        into list from lists l where l.owner_id = owner and l.id = home;
      if not found then
        current_list := null;
        outcome := 'no list';
        return next;
        continue;
      end if;
    end if;
    if (g.expected is null or growth > 0) and not (account.counted and list.counted
        and account.bytes + account_growth + growth <= account_bytes and list.bytes + list_growth + growth <= list_bytes
        and (g.expected is not null
          or account.things + account_added < account_things and list.things + list_added < list_things)) then
      outcome := 'no room';
      return next;
      continue;
    end if;

    if g.expected is null then
      if end_of is distinct from home then
        select t.rank, t.seq into last_rank, last_seq from things t
          where t.owner_id = owner and t.list_id = home order by t.rank desc, t.seq desc limit 1;
        end_of := home;
      end if;
      date := case when stamp - clock > tolerance then clock else stamp end;
      last_seq := case when last_rank >= date then last_seq + 1 else 0 end;
      last_rank := greatest(date, last_rank);
      insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash,
          search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header,
          subheader, quote, code, note, markup, created, updated)
        values (owner, g.id, home, last_rank, last_seq, coalesce(g.tabs, 0), coalesce(g.favorited, false), null, false,
          ${text("text")}, g.text_hash, ${["search", "type", "url"].map(text).join(", ")}, g.url_hash,
          coalesce(g.tags, '{}'), coalesce(g.photos, '{}'), null, ${flags.map(flag).join(", ")},
          ${["note", "markup"].map(text).join(", ")}, date, stamp);
      at_date := date;
      at_rank := last_rank;
      at_seq := last_seq;
      account_added := account_added + 1;
      list_added := list_added + 1;
    else
      date := old.created;
      update things t set ${revised.map((column) => `${column} = coalesce(g.${column}, t.${column})`).join(", ")},
          url_hash = case when g.url is null then t.url_hash else g.url_hash end, updated = stamp
        where t.owner_id = owner and t.id = g.id;
      image := case when keeps_images and not g.is_same then array[to_jsonb(old)] end;
      insert into operation_images (owner_id, stamp, part, type, ids, images, bytes)
        values (owner, stamp, 0, case when g.is_same then 'shifted' else 'thing' end, array[g.id], image,
          coalesce(pg_column_size(image), 0));
      image_growth := image_growth + coalesce(pg_column_size(image), 0);
      if old.tags <> '{}' then
        if g.tags is null then
          update thing_tags t set updated = stamp where t.owner_id = owner and t.thing_id = g.id;
        else
          delete from thing_tags t where t.owner_id = owner and t.thing_id = g.id and t.tag_key <> all (g.tag_keys);
        end if;
      end if;
    end if;
    if g.tag_keys <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select owner, g.id, tag.key, tag.name, date, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key)
        on conflict (owner_id, thing_id, tag_key) do update set name = excluded.name, updated = excluded.updated;
    end if;
    if g.operation is not null then
      insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, request_id, summary,
          has_images, settings, things, touched_lists, shifted_things)
        values (owner, stamp, (lpad(to_hex(stamp), 12, '0') || g.operation)::uuid, g.operation_name, g.surface,
          g.by_type, g.by_id, g.by_name, g.request_id, g.summary, keeps_images, false,
          case when g.is_same then null else array[g.id] end, array[home],
          case when g.is_same then array[g.id] end);
    end if;
    is_written := true;
    last_stamp := stamp;
    list_stamp := stamp;
    account_growth := account_growth + growth;
    list_growth := list_growth + growth;
    outcome := 'written';
    at_stamp := stamp;
    return next;
  end loop;
  if list_stamp is not null then
    ${touchList}
  end if;
  if is_written then
    update write_clocks w set last_write = last_stamp,
        counted_at = case when account.counted then last_stamp else w.counted_at end,
        thing_count = w.thing_count + account_added, content_bytes = w.content_bytes + account_growth,
        image_bytes = w.image_bytes + image_growth
      where w.owner_id = owner;
  end if;
end
$$`
