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
 * Writes of single things of any accounts, with and without keys, in one round trip and one commit: appends new things
 * to their lists, and revises those that have an `expected` time of their last change. Replaces `write_to_account` and
 * `write_keyed_to_account`, which programs of earlier schemas call.
 *
 * All items are of `owner`, or each names its `owner`; those of one account stand together, and accounts come in
 * ascending order, so that two calls cannot deadlock. An account is locked once for its items; a statement of a function
 * sees what was committed before the statement began, so all is read after that. Each item is a write of its own, with a
 * write timestamp of its own, unless there is a `given_stamp`. The account, and each list for as long as items are of
 * the same list, are updated once for all items. An item with an `operation`, the last 20 hexadecimal digits of its id,
 * has that operation added. A revised thing keeps the columns that its item does not have; a new one has them blank.
 *
 * An item with a `key_hash` has the record of its key stored. Its answer has the words `answer_created` and
 * `answer_updated` in the place of times that only the write knows. Whoever stores a record has locked its account.
 * Of the records of the account that have expired, `most_pruned` go on the way with each new one.
 *
 * Outcomes: `written`; `held` by another transaction, when it may not wait; `no account`; `no list`; `no room`, also
 * when counters are stale; `changed`, of a thing that is not plain, or no longer as it is expected; `repeated`, of an
 * item whose key has a record. Only the first one has written anything.
 *
 * All statements find few rows by an index. A plan that was made while a table was small must not read all of it later.
 *
 * `locks_accounts`: while programs may be connected that lock an account in `accounts` (migration 12).
 */
export const version = 16
export const name = "WriteThings"

const flags = ["completed", "canceled", "bold", "italic", "underline", "header", "subheader", "quote", "code"]
const flag = (column: string): string => `coalesce(g.${column}, false)`
const text = (column: string): string => `coalesce(g.${column}, '')`

const sizeOf = (row: string): string =>
  `${["text", "note", "url"].map((column) => `coalesce(octet_length(${row}.${column}), 0)`).join(" + ")}
        + coalesce(octet_length(array_to_string(${row}.photos || ${row}.tags, '')), 0)`

/** Columns that keep their value where an item has none. */
const revised = [
  ...["tabs", "favorited", "text", "text_hash", "search", "type", "url", "tags", "photos", "note", "markup"],
  ...flags
]

/** Leaves `found`. */
const lock = (query: string): string => `if waits then
          ${query};
        else
          ${query} skip locked;
        end if;`

const lockInAccounts = lock("perform from accounts a where a.id = account_id for no key update")

const isThere = (table: string, id: string): string =>
  `case when exists (select from ${table} where ${id} = account_id) then 'held' else 'no account' end`

const touchList = `if list_stamp is not null then
        update lists l set updated = list_stamp,
            counted_at = case when list.counted then list_stamp else l.counted_at end,
            thing_count = l.thing_count + list_added, content_bytes = l.content_bytes + list_growth
          where l.owner_id = account_id and l.id = current_list;
        list_stamp := null;
      end if;`

const prune = `if kept > 0 then
        if ${hasExpired("account_id")} then
          ${removeExpired("account_id", "kept")}
        end if;
      end if;`

/** Ends the writes of one account. */
const settle = `${touchList}
      if is_written then
        ${countAccount("account_id")}
      end if;
      ${prune}`

const writeThings = `
create or replace function write_things(owner uuid, clock bigint, given_stamp bigint, waits boolean,
  locks_accounts boolean, items json, list_things bigint, list_bytes bigint, account_things bigint,
  account_bytes bigint, tolerance bigint, keeps_images boolean, expired_before bigint, expired_after bigint,
  most_pruned integer, out item integer, out outcome text, out at_stamp double precision, out at_date double precision,
  out at_rank double precision, out at_seq double precision) returns setof record
language plpgsql set enable_seqscan = off set enable_sort = off as $$
declare
  account_id uuid;
  refused text;
  account record;
  is_written boolean := false;
  last_stamp bigint;
  account_added bigint;
  account_growth bigint;
  image_growth bigint;

  list record;
  current_list uuid;
  list_stamp bigint;
  list_added bigint;
  list_growth bigint;
  end_of uuid;
  last_rank bigint;
  last_seq bigint;

  kept integer := 0;
  outdated uuid[];

  g record;
  old record;
  home uuid;
  stamp bigint;
  date bigint;
  growth bigint;
  image jsonb[];
  image_size integer;
begin
  for g in
    select * from json_to_recordset(items) as i (owner uuid, item integer, expected bigint, list_id uuid, id uuid,
      tabs integer, favorited boolean, text text, text_hash uuid, search text, type text, url text, url_hash uuid,
      tags text[], photos text[], completed boolean, canceled boolean, bold boolean, italic boolean, underline boolean,
      header boolean, subheader boolean, quote boolean, code boolean, note text, markup text, tag_keys text[],
      tag_names text[], is_same boolean, operation text, operation_name text, surface text, by_type text, by_id text,
      by_name text, request_id text, summary text, key_hash uuid, key text, fingerprint text, answer text,
      answer_created text, answer_updated text)
  loop
    item := g.item;
    at_stamp := null;
    at_date := null;
    at_rank := null;
    at_seq := null;

    if account_id is distinct from coalesce(g.owner, owner) then
      ${settle}
      account_id := coalesce(g.owner, owner);
      is_written := false;
      account_added := 0;
      account_growth := 0;
      image_growth := 0;
      current_list := null;
      kept := 0;
      refused := null;
      if locks_accounts then
        ${lockInAccounts}
        if not found then
          refused := ${isThere("accounts", "id")};
        end if;
      end if;
      if refused is null then
        ${lock(lockAccount("account_id"))}
        if not found then
          refused := ${isThere("write_clocks", "owner_id")};
        else
          last_stamp := account.last_write;
        end if;
      end if;
    end if;
    if refused is not null then
      outcome := refused;
      return next;
      continue;
    end if;
    stamp := coalesce(given_stamp, greatest(last_stamp + 1, clock));

    if g.expected is null then
      home := g.list_id;
      date := case when stamp - clock > tolerance then clock else stamp end;
      growth := ${sizeOf("g")};
    else
      select ${thingColumns} into old from things t
        where t.owner_id = account_id and t.id = g.id and t.updated = g.expected and t.clone_of is null
          and not t.has_clones
          and not exists (select from reminders r where r.owner_id = account_id and r.thing_id = g.id);
      if not found then
        outcome := 'changed';
        return next;
        continue;
      end if;
      home := old.list_id;
      date := old.created;
      growth := 0;
      if coalesce(g.text, g.note, g.url) is not null or coalesce(g.photos, g.tags) is not null then
        growth := ${revisedBytes}
          - (${sizeOf("old")});
      end if;
    end if;

    if current_list is distinct from home then
      ${touchList}
      list_growth := 0;
      list_added := 0;
      current_list := home;
      end_of := null;
      select ${listState}
        into list from lists l where l.owner_id = account_id and l.id = home;
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

    if g.key_hash is not null then
      ${keepRecord("account_id", datedAnswer)}
      if not found then
        outcome := 'repeated';
        return next;
        continue;
      end if;
      kept := kept + 1;
    end if;

    if g.expected is null then
      if end_of is null then
        select t.rank, t.seq into last_rank, last_seq from things t
          where t.owner_id = account_id and t.list_id = home order by t.rank desc, t.seq desc limit 1;
        end_of := home;
      end if;
      last_seq := case when last_rank >= date then last_seq + 1 else 0 end;
      last_rank := greatest(date, last_rank);
      insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash,
          search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header,
          subheader, quote, code, note, markup, created, updated)
        values (account_id, g.id, home, last_rank, last_seq, coalesce(g.tabs, 0), coalesce(g.favorited, false), null,
          false, ${text("text")}, g.text_hash, ${["search", "type", "url"].map(text).join(", ")}, g.url_hash,
          coalesce(g.tags, '{}'), coalesce(g.photos, '{}'), null, ${flags.map(flag).join(", ")},
          ${["note", "markup"].map(text).join(", ")}, date, stamp);
      at_date := date;
      at_rank := last_rank;
      at_seq := last_seq;
      account_added := account_added + 1;
      list_added := list_added + 1;
    else
      update things t set ${revised.map((column) => `${column} = coalesce(g.${column}, t.${column})`).join(", ")},
          url_hash = case when g.url is null then t.url_hash else g.url_hash end, updated = stamp
        where t.owner_id = account_id and t.id = g.id;
      image := case when keeps_images and not g.is_same then array[to_jsonb(old)] end;
      image_size := coalesce(pg_column_size(image), 0);
      insert into operation_images (owner_id, stamp, part, type, ids, images, bytes)
        values (account_id, stamp, 0, case when g.is_same then 'shifted' else 'thing' end, array[g.id], image,
          image_size);
      image_growth := image_growth + image_size;
      if old.tags <> '{}' then
        if g.tags is null then
          update thing_tags t set updated = stamp where t.owner_id = account_id and t.thing_id = g.id;
        else
          delete from thing_tags t
            where t.owner_id = account_id and t.thing_id = g.id and t.tag_key <> all (g.tag_keys);
        end if;
      end if;
    end if;
    if g.tag_keys <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select account_id, g.id, tag.key, tag.name, date, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key)
        on conflict (owner_id, thing_id, tag_key) do update set name = excluded.name, updated = excluded.updated;
    end if;
    if g.operation is not null then
      insert into operations (owner_id, stamp, id, name, surface, by_type, by_id, by_name, request_id, summary,
          has_images, settings, things, touched_lists, shifted_things)
        values (account_id, stamp, (lpad(to_hex(stamp), 12, '0') || g.operation)::uuid, g.operation_name, g.surface,
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
  ${settle}
end
$$`

export const statements: ReadonlyArray<string> = [writeThings]
