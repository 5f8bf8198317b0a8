/**
 * `write_to_account` for items that a client may repeat under a key: of each the record of its key is stored with it, so
 * that one call is one commit. `keys` has the key of an item and its answer, in which the words `created` and `updated`
 * stand for the times of the thing, which only the write knows.
 *
 * One more outcome: `repeated`, of an item whose key has a record; it is not written. The records are looked up before
 * the account is locked. Whoever stored one in between makes the call fail as one that is to be run again (40001).
 *
 * Of the records of the account that have expired, `most_pruned` go on the way with each new one.
 */
export const version = 15
export const name = "KeyedWrites"

const iso = (millis: string): string =>
  `to_char(timestamp 'epoch' + ${millis} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const expiredAt = (where: string, order: string): string => `(select r.key_hash from receipts r
      where r.owner_id = owner and r.created ${where} order by r.created ${order} limit most_pruned * kept for update skip locked)`

const writeKeyed = `
create or replace function write_keyed_to_account(owner uuid, clock bigint, waits boolean, items json, keys json,
  list_things bigint, list_bytes bigint, account_things bigint, account_bytes bigint, tolerance bigint,
  keeps_images boolean, expired_before bigint, expired_after bigint, most_pruned integer, out item integer, out outcome text,
  out at_stamp double precision, out at_date double precision, out at_rank double precision,
  out at_seq double precision) returns setof record
language plpgsql as $$
declare
  repeated integer[];
  fresh json := items;
  written record;
  done integer[] := '{}';
  dates double precision[] := '{}';
  stamps double precision[] := '{}';
  wanted integer;
  kept integer;
begin
  select array_agg(k.item) into repeated from json_to_recordset(keys) as k (item integer, key_hash uuid)
    cross join lateral (
      select from receipts r where r.owner_id = owner and r.key_hash = k.key_hash and r.created > expired_before limit 1
    ) as known;
  if repeated is not null then
    outcome := 'repeated';
    foreach item in array repeated loop
      return next;
    end loop;
    select coalesce(json_agg(i.value), '[]') into fresh from json_array_elements(items) as i (value)
      where (i.value ->> 'item')::integer <> all (repeated);
  end if;
  for written in
    select * from write_to_account(owner, clock, null, waits, fresh, list_things, list_bytes, account_things,
      account_bytes, tolerance, keeps_images)
  loop
    item := written.item;
    outcome := written.outcome;
    at_stamp := written.at_stamp;
    at_date := written.at_date;
    at_rank := written.at_rank;
    at_seq := written.at_seq;
    if outcome = 'written' then
      done := done || item;
      dates := dates || at_date;
      stamps := stamps || at_stamp;
    end if;
    return next;
  end loop;
  select count(*) into wanted from json_to_recordset(keys) as k (item integer) where k.item = any (done);
  if wanted > 0 then
    insert into receipts as r (owner_id, key_hash, key, fingerprint, answer, created, stamp)
      select owner, k.key_hash, k.key, k.fingerprint,
        replace(replace(k.answer, k.created, coalesce(${iso("w.date")}, '')), k.updated, ${iso("w.stamp")}), clock, w.stamp
      from json_to_recordset(keys) as k (item integer, key_hash uuid, key text, fingerprint text, answer text,
          created text, updated text)
        join unnest(done, dates, stamps) as w (item, date, stamp) on w.item = k.item
      on conflict (owner_id, key_hash) do update set key = excluded.key, fingerprint = excluded.fingerprint,
        answer = excluded.answer, created = excluded.created, stamp = excluded.stamp where r.created <= expired_before;
    get diagnostics kept = row_count;
    if kept < wanted then
      raise exception 'another write has stored its record under this key' using errcode = '40001';
    end if;
    with old as ${expiredAt("< expired_before", "asc")}, ahead as ${expiredAt("> expired_after", "desc")}
      delete from receipts r where r.owner_id = owner
        and r.key_hash in (select key_hash from old union all select key_hash from ahead);
  end if;
end
$$`

export const statements: ReadonlyArray<string> = [writeKeyed]
