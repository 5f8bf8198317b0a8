/**
 * Appends a thing to a list in one round trip, in place of seven by `Storage.transact` and the stores. Every statement
 * of a function sees what was committed before the statement began, so the position is read after the account is
 * locked. Returns no row for an unknown account, and no position for an unknown list.
 */
const appendThing = `
create function append_thing(owner uuid, clock bigint, given_stamp bigint, fields json,
  out at_stamp double precision, out at_rank double precision, out at_seq double precision) returns setof record
language plpgsql as $$
declare
  stamp bigint := given_stamp;
  list uuid := (fields ->> 'list_id')::uuid;
  ends record;
  new_rank bigint;
  new_seq bigint;
begin
  if stamp is null then
    update accounts a set last_write = greatest(a.last_write + 1, clock) where a.id = owner
      returning a.last_write into stamp;
    if not found then return; end if;
  end if;
  at_stamp := stamp;
  perform from lists l where l.owner_id = owner and l.id = list for key share;
  if not found then return next; return; end if;
  select t.rank, t.seq into ends from things t where t.owner_id = owner and t.list_id = list
    order by t.rank desc, t.seq desc limit 1;
  new_rank := greatest(stamp, ends.rank);
  new_seq := case when ends.rank = new_rank then ends.seq + 1 else 0 end;
  insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash, search,
      type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header, subheader,
      quote, code, note, created, updated)
    select owner, g.id, list, new_rank, new_seq, g.tabs, g.favorited, null, false, g.text, g.text_hash, g.search,
      g.type, g.url, g.url_hash, g.tags, g.photos, null, g.completed, g.canceled, g.bold, g.italic, g.underline,
      g.header, g.subheader, g.quote, g.code, g.note, stamp, stamp
    from json_to_record(fields) as g (id uuid, tabs integer, favorited boolean, text text, text_hash uuid, search text,
      type text, url text, url_hash uuid, tags text[], photos text[], completed boolean, canceled boolean, bold boolean,
      italic boolean, underline boolean, header boolean, subheader boolean, quote boolean, code boolean, note text);
  if json_array_length(fields -> 'tag_keys') > 0 then
    insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
      select owner, g.id, tag.key, tag.name, stamp, stamp
      from json_to_record(fields) as g (id uuid, tag_keys text[], tag_names text[])
      cross join unnest(g.tag_names, g.tag_keys) as tag (name, key);
  end if;
  update lists l set updated = stamp where l.owner_id = owner and l.id = list;
  at_rank := new_rank;
  at_seq := new_seq;
  return next;
end
$$`

export const version = 3
export const name = "AppendThing"
export const statements: ReadonlyArray<string> = [appendThing]
