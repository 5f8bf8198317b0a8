import {
  countAccount,
  datedAnswer,
  hasExpired,
  keepRecord,
  listState,
  lockAccount,
  removeExpired,
  revisedBytes,
  thingColumns
} from "./SingleWrites.ts"

/**
 * Revises things of one account, which may have reminders, in one round trip and one commit. What one write changes is
 * stored together: the thing, its reminder, the copy that a completed one leaves, the list of the day of the next
 * occurrence, images, operation, counters, and the record of a key.
 *
 * An item has the thing's `expected` time of its last change and `was`, its reminder as it was read; where one of them is
 * not so any more, or the thing is of a family of linked copies, the outcome is `changed`. Columns that an item does not
 * have keep their values. What else an item has:
 *
 * - `removes`: the thing goes, with its reminder. `keeps_thing`: only the reminder is written. `is_same`: of the thing
 *   only `updated` moves. Else it is changed.
 * - `reminder`: the reminder afterwards, as an array of one, with the date of the write where it has no `created`; or
 *   `drops_reminder`. With neither it stays.
 * - `copy_id`: a copy with the values of the item stays in place, and the thing is open again.
 * - `day_list`: the thing goes to the end of the list of that `day`, which is made as it is given, an array of one, where
 *   there is none; with `stays_in_list` only where it is in the list of a day, else right behind its copy.
 * - `list_id`: the thing goes to the end of this list, which is another one.
 * - `key_hash`, `key`, `fingerprint` and `answer`: the record of a key. In the answer, `answer_created` stands for the date
 *   of the write, `answer_updated` for its time, and the id of the given day list for that of the list in which the thing
 *   is afterwards. Of the records that have expired, `most_pruned` go on the way with each new one.
 *
 * Outcomes: `written`; `held` by another transaction, when it may not wait; `no account`; `no list`; `changed`; `no room`,
 * also when counters are stale; `repeated`, of an item whose key has a record. Only the first one has written anything.
 *
 * Every statement of a function sees what was committed before the statement began, so all is read after the account is
 * locked. All find few rows by an index. A plan that was made while a table was small must not read all of it later.
 */
export const version = 17
export const name = "ReviseThings"

/** In the order of the table's shape; `to_jsonb` of them is what `was` has. */
const reminderColumns = `r.id, r.thing_id, r.at::float8, r.all_day, r.first, r.repeat, r.every, r.days, r.until::float8,
          r.duration_minutes, r.end_at::float8, r.place_id, r.place_on, r.radius_m, r.alert_minutes,
          r.second_alert_minutes, r.color, r.created::float8`

const reminderTypes = {
  id: "uuid",
  at: "bigint",
  all_day: "boolean",
  first: "text",
  repeat: "text",
  every: "integer",
  days: "text[]",
  until: "bigint",
  duration_minutes: "integer",
  end_at: "bigint",
  place_id: "uuid",
  place_on: "text",
  radius_m: "double precision",
  alert_minutes: "integer",
  second_alert_minutes: "integer",
  color: "text"
}
const reminderNames = Object.keys(reminderTypes)
const givenReminder = `json_to_recordset(g.reminder) as n (${Object.entries({ ...reminderTypes, created: "bigint" })
  .map((column) => column.join(" "))
  .join(", ")})`

const flags = ["bold", "italic", "underline", "header", "subheader", "quote", "code"]
const kept = ["tabs", "favorited", "text", "text_hash", "search", "type", "url", "tags", "photos", "note", "markup"]
const revisable = [...kept, ...flags, "completed", "canceled"]
const revised = (column: string): string => `coalesce(g.${column}, t.${column})`
const urlHash = "case when g.url is null then t.url_hash else g.url_hash end"
/** A thing that has left a copy is neither completed nor canceled. */
const reopened = (column: string): string => `${column} = g.copy_id is null and ${revised(column)}`

const sizeOf = (row: string): string =>
  `octet_length(${row}.text) + octet_length(${row}.note) + octet_length(${row}.url)
        + octet_length(array_to_string(${row}.photos || ${row}.tags, ''))`

const lockOwner = lockAccount("owner")

const touchList = (id: string, things: string, bytes: string): string => `update lists l set updated = stamp,
        counted_at = case when l.counted_at = l.updated then stamp else l.counted_at end,
        thing_count = l.thing_count + ${things}, content_bytes = l.content_bytes + ${bytes}
      where l.owner_id = owner and l.id = ${id};`

const answerInList = `replace(${datedAnswer}, coalesce(g.day_list_id, target)::text, target::text)`

const reviseThings = `
create or replace function revise_things(owner uuid, clock bigint, waits boolean, items json, list_things bigint,
  list_bytes bigint, account_things bigint, account_bytes bigint, tolerance bigint, keeps_images boolean,
  expired_before bigint, expired_after bigint, most_pruned integer, out item integer, out outcome text,
  out at_stamp double precision, out at_date double precision, out at_list uuid, out at_rank double precision,
  out at_seq double precision) returns setof record
language plpgsql set enable_seqscan = off set enable_sort = off as $$
declare
  account record;
  last_stamp bigint;
  account_added bigint := 0;
  account_growth bigint := 0;
  image_growth bigint := 0;
  is_written boolean := false;

  g record;
  old record;
  was record;
  is_there boolean;
  stamp bigint;
  date bigint;
  home_day text;
  home_counted boolean;
  home_things bigint;
  home_bytes bigint;
  there_counted boolean;
  there_things bigint;
  there_bytes bigint;
  target uuid;
  moves boolean;
  leaves boolean;
  makes_list boolean;
  old_bytes bigint;
  new_bytes bigint;
  home_added integer;
  home_growth bigint;
  last_rank bigint;
  last_seq bigint;
  shifted uuid[];
  image jsonb[];
  reminder_id uuid;
  stored integer := 0;
  outdated uuid[];
begin
  if waits then
    ${lockOwner};
  else
    ${lockOwner} skip locked;
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
    select * from json_to_recordset(items) as i (item integer, id uuid, expected bigint, was json, reminder json,
      drops_reminder boolean, removes boolean, list_id uuid, copy_id uuid, day text, day_list json, day_list_id uuid,
      stays_in_list boolean, is_same boolean, keeps_thing boolean, tabs integer, favorited boolean, text text,
      text_hash uuid, search text, type text, url text, url_hash uuid, tags text[], photos text[], completed boolean,
      canceled boolean, bold boolean, italic boolean, underline boolean, header boolean, subheader boolean, quote boolean,
      code boolean, note text, markup text, tag_keys text[], tag_names text[], operation text, operation_name text,
      surface text, by_type text, by_id text, by_name text, request_id text, summary text, key_hash uuid, key text,
      fingerprint text, answer text, answer_created text, answer_updated text)
  loop
    item := g.item;
    at_stamp := null;
    at_date := null;
    at_list := null;
    at_rank := null;
    at_seq := null;
    stamp := greatest(last_stamp + 1, clock);
    date := case when stamp - clock > tolerance then clock else stamp end;

    select ${thingColumns} into old from things t
      where t.owner_id = owner and t.id = g.id and t.updated = g.expected and t.clone_of is null and not t.has_clones;
    is_there := found;
    select ${reminderColumns} into was from reminders r where r.owner_id = owner and r.thing_id = g.id;
    if not is_there or found <> (g.was is not null) or found and to_jsonb(was) <> g.was::jsonb then
      outcome := 'changed';
      return next;
      continue;
    end if;

    select l.day, ${listState} into home_day, home_counted, home_things, home_bytes
      from lists l where l.owner_id = owner and l.id = old.list_id;
    target := old.list_id;
    makes_list := false;
    moves := g.list_id is not null or g.day is not null and (home_day is not null or not g.stays_in_list);
    if g.list_id is not null then
      select l.id, ${listState} into target, there_counted, there_things, there_bytes
        from lists l where l.owner_id = owner and l.id = g.list_id;
      if not found then
        outcome := 'no list';
        return next;
        continue;
      end if;
    elsif moves then
      select l.id, ${listState} into target, there_counted, there_things, there_bytes
        from lists l where l.owner_id = owner and l.day = g.day;
      makes_list := not found;
      target := coalesce(target, g.day_list_id);
    end if;
    leaves := target <> old.list_id;

    old_bytes := ${sizeOf("old")};
    new_bytes := ${revisedBytes};
    home_added := (g.copy_id is not null)::integer - (leaves or g.removes)::integer;
    home_growth := new_bytes * (1 + home_added) - old_bytes;
    if (home_added > 0 or home_growth > 0) and not (home_counted and home_things + home_added <= list_things
        and home_bytes + home_growth <= list_bytes)
      or leaves and not makes_list and not (there_counted and there_things < list_things
        and there_bytes + new_bytes <= list_bytes)
      or leaves and new_bytes > list_bytes
      or (home_added > 0 or home_growth > 0 or leaves) and not (account.counted
        and account.things + account_added + home_added + leaves::integer <= account_things
        and account.bytes + account_growth + home_growth + new_bytes * leaves::integer <= account_bytes)
    then
      outcome := 'no room';
      return next;
      continue;
    end if;

    if g.key_hash is not null then
      ${keepRecord("owner", answerInList)}
      if not found then
        outcome := 'repeated';
        return next;
        continue;
      end if;
      stored := stored + 1;
    end if;

    if makes_list then
      insert into lists (owner_id, id, title, emoji, day, favorited, archived, sort, created, updated, title_key, search,
          counted_at)
        select owner, g.day_list_id, n.title, '', g.day, false, false, n.sort, date, stamp, n.title_key, n.search, stamp
        from json_to_recordset(g.day_list) as n (title text, sort text, title_key text, search text);
    end if;

    last_rank := old.rank;
    last_seq := old.seq;
    shifted := null;
    if moves then
      select t.rank, t.seq into last_rank, last_seq from things t
        where t.owner_id = owner and t.list_id = target order by t.rank desc, t.seq desc limit 1;
      last_seq := case when last_rank >= date then last_seq + 1 else 0 end;
      last_rank := greatest(date, last_rank);
    elsif g.copy_id is not null then
      with moved as (
        update things t set seq = t.seq + 1
          where t.owner_id = owner and t.list_id = target and t.rank = last_rank and t.seq > last_seq returning t.id
      ) select array_agg(m.id order by m.id) into shifted from moved m;
      last_seq := last_seq + 1;
    end if;

    if g.copy_id is not null then
      insert into things (owner_id, id, list_id, rank, seq, clone_of, has_clones, url_hash, list_ref, created, updated,
          ${revisable.join(", ")})
        select owner, g.copy_id, t.list_id, t.rank, t.seq, null, false, ${urlHash}, t.list_ref, t.created, stamp,
          ${revisable.map(revised).join(", ")}
        from things t where t.owner_id = owner and t.id = g.id;
    end if;
    if not g.keeps_thing and not g.removes then
      update things t set ${[...kept, ...flags].map((column) => `${column} = ${revised(column)}`).join(", ")},
          ${["completed", "canceled"].map(reopened).join(", ")}, url_hash = ${urlHash}, list_id = target,
          rank = last_rank, seq = last_seq, updated = stamp
        where t.owner_id = owner and t.id = g.id;
      if old.tags <> '{}' then
        if g.tags is null then
          update thing_tags t set updated = stamp where t.owner_id = owner and t.thing_id = g.id;
        else
          delete from thing_tags t where t.owner_id = owner and t.thing_id = g.id and t.tag_key <> all (g.tag_keys);
        end if;
      end if;
      if g.tag_keys <> '{}' then
        insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
          select owner, g.id, tag.key, tag.name, old.created, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key)
          on conflict (owner_id, thing_id, tag_key) do update set name = excluded.name, updated = excluded.updated;
      end if;
    end if;
    if shifted is not null then
      insert into operation_images (owner_id, stamp, part, type, ids, bytes)
        values (owner, stamp, 2, 'shifted', shifted, 0);
    end if;
    if g.copy_id is not null and coalesce(g.tags, old.tags) <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select owner, g.copy_id, t.tag_key, t.name, t.created, t.updated from thing_tags t
        where t.owner_id = owner and t.thing_id = g.id;
    end if;

    if not g.keeps_thing then
      image := case when keeps_images and not g.is_same then array[to_jsonb(old)] end;
      insert into operation_images (owner_id, stamp, part, type, ids, images, bytes)
        values (owner, stamp, 0, case when g.is_same then 'shifted' else 'thing' end, array[g.id], image,
          coalesce(pg_column_size(image), 0));
      image_growth := image_growth + coalesce(pg_column_size(image), 0);
    end if;

    reminder_id := null;
    if g.removes then
      reminder_id := was.id;
      delete from things t where t.owner_id = owner and t.id = g.id;
    elsif g.reminder is not null then
      update reminders r set ${reminderNames.map((column) => `${column} = n.${column}`).join(", ")}
        from ${givenReminder} where r.owner_id = owner and r.thing_id = g.id
        returning r.id into reminder_id;
      if not found then
        insert into reminders (owner_id, thing_id, ${reminderNames.join(", ")}, created)
          select owner, g.id, ${reminderNames.map((column) => `n.${column}`).join(", ")}, coalesce(n.created, date)
          from ${givenReminder} returning id into reminder_id;
      end if;
    elsif g.drops_reminder then
      delete from reminders r where r.owner_id = owner and r.thing_id = g.id returning r.id into reminder_id;
    end if;
    if reminder_id is not null and g.was is not null then
      image := case when keeps_images then array[to_jsonb(was)] end;
      insert into operation_images (owner_id, stamp, part, type, ids, things, images, bytes)
        values (owner, stamp, 1, 'reminder', array[reminder_id], array[g.id], image, coalesce(pg_column_size(image), 0));
      image_growth := image_growth + coalesce(pg_column_size(image), 0);
    end if;

    ${touchList("old.list_id", "home_added", "home_growth")}
    if leaves then
      ${touchList("target", "1", "new_bytes")}
    end if;
    account_added := account_added + home_added + leaves::integer;
    account_growth := account_growth + home_growth + new_bytes * leaves::integer;

    insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, request_id, summary, has_images,
        settings, lists, things, reminders, deleted, reminded_things, touched_lists, shifted_things)
      values (owner, stamp, (lpad(to_hex(stamp), 12, '0') || g.operation)::uuid, g.operation_name, g.surface, g.by_type,
        g.by_id, g.by_name, g.request_id, g.summary, keeps_images, false,
        case when makes_list then array[target] end,
        case when g.is_same or g.keeps_thing then null when g.copy_id is null then array[g.id]
          else array[least(g.id, g.copy_id), greatest(g.id, g.copy_id)] end,
        case when reminder_id is not null then array[reminder_id] end,
        case when g.removes and reminder_id is not null then array[least(g.id, reminder_id), greatest(g.id, reminder_id)]
          when g.removes then array[g.id] when g.drops_reminder then array[reminder_id] end,
        case when reminder_id is not null then array[g.id] end,
        case when leaves and not makes_list then array[least(old.list_id, target), greatest(old.list_id, target)]
          else array[old.list_id] end,
        case when g.is_same then array[g.id] else shifted end);

    is_written := true;
    last_stamp := stamp;
    outcome := 'written';
    at_stamp := stamp;
    at_date := date;
    at_list := target;
    at_rank := last_rank;
    at_seq := last_seq;
    return next;
  end loop;
  if is_written then
    ${countAccount("owner")}
  end if;
  if stored > 0 and (${hasExpired("owner")}) then
    ${removeExpired("owner", "stored")}
  end if;
end
$$`

export const statements: ReadonlyArray<string> = [reviseThings]
