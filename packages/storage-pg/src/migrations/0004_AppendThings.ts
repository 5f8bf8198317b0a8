/**
 * Appends things to their lists, for one account or several, in one round trip and one commit, in place of seven round
 * trips per thing by `Storage.transact` and the stores. Every statement of a function sees what was committed before
 * the statement began, so positions are read after the account is locked. Waits for a locked account only when told to,
 * and then for a single account. Accounts are locked in one order, so two calls cannot deadlock.
 */
const appendThings = `
create function append_things(clock bigint, given_stamp bigint, waits boolean, items json,
  out item integer, out outcome text, out at_stamp double precision, out at_rank double precision,
  out at_seq double precision) returns setof record
language plpgsql as $$
declare
  g record;
  stamp bigint;
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
    at_rank := null;
    at_seq := null;
    if given_stamp is not null then
      stamp := given_stamp;
    elsif waits then
      update accounts a set last_write = greatest(a.last_write + 1, clock) where a.id = g.owner_id
        returning a.last_write into stamp;
    else
      update accounts a set last_write = greatest(a.last_write + 1, clock)
        where a.id = (select l.id from accounts l where l.id = g.owner_id for no key update skip locked)
        returning a.last_write into stamp;
    end if;
    if given_stamp is null and not found then
      outcome := case when waits then 'no account'
        when exists (select from accounts a where a.id = g.owner_id) then 'held' else 'no account' end;
      return next;
      continue;
    end if;
    update lists l set updated = stamp where l.owner_id = g.owner_id and l.id = g.list_id;
    if not found then
      outcome := 'no list';
      return next;
      continue;
    end if;
    select t.rank, t.seq into last_rank, last_seq from things t
      where t.owner_id = g.owner_id and t.list_id = g.list_id order by t.rank desc, t.seq desc limit 1;
    new_rank := greatest(stamp, last_rank);
    new_seq := case when last_rank = new_rank then last_seq + 1 else 0 end;
    insert into things (owner_id, id, list_id, rank, seq, tabs, favorited, clone_of, has_clones, text, text_hash,
        search, type, url, url_hash, tags, photos, list_ref, completed, canceled, bold, italic, underline, header,
        subheader, quote, code, note, created, updated)
      values (g.owner_id, g.id, g.list_id, new_rank, new_seq, g.tabs, g.favorited, null, false, g.text, g.text_hash,
        g.search, g.type, g.url, g.url_hash, g.tags, g.photos, null, g.completed, g.canceled, g.bold, g.italic,
        g.underline, g.header, g.subheader, g.quote, g.code, g.note, stamp, stamp);
    if g.tag_keys <> '{}' then
      insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated)
        select g.owner_id, g.id, tag.key, tag.name, stamp, stamp from unnest(g.tag_names, g.tag_keys) as tag (name, key);
    end if;
    outcome := 'added';
    at_stamp := stamp;
    at_rank := new_rank;
    at_seq := new_seq;
    return next;
  end loop;
end
$$`

export const version = 4
export const name = "AppendThings"
export const statements: ReadonlyArray<string> = [
  "drop function append_thing(uuid, bigint, bigint, json)",
  appendThings
]
