/** What the functions of migrations 16 and 17 have in common; `owner` is their name of the account. */

export const thingColumns = `t.id, t.list_id, t.rank::float8, t.seq::float8, t.tabs, t.favorited, t.clone_of, t.has_clones, t.text,
          t.type, t.url, t.tags, t.photos, t.list_ref, t.completed, t.canceled, t.bold, t.italic, t.underline,
          t.header, t.subheader, t.quote, t.code, t.note, t.markup, t.created::float8, t.updated::float8`

const iso = (millis: string): string =>
  `to_char(timestamp 'epoch' + ${millis} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Bytes of what users wrote in `old` when the item has revised it. */
export const revisedBytes = `octet_length(coalesce(g.text, old.text)) + octet_length(coalesce(g.note, old.note))
          + octet_length(coalesce(g.url, old.url))
          + octet_length(array_to_string(coalesce(g.photos, old.photos) || coalesce(g.tags, old.tags), ''))`

export const listState =
  "coalesce(l.counted_at = l.updated, false) as counted, l.thing_count as things, l.content_bytes as bytes"

/** Into `account`. */
export const lockAccount = (owner: string): string =>
  `select w.last_write, coalesce(w.counted_at = w.last_write, false) as counted, w.thing_count as things,
            w.content_bytes as bytes
          into account from write_clocks w where w.owner_id = ${owner} for no key update`

export const countAccount = (owner: string): string => `update write_clocks w set last_write = last_stamp,
            counted_at = case when account.counted then last_stamp else w.counted_at end,
            thing_count = w.thing_count + account_added, content_bytes = w.content_bytes + account_growth,
            image_bytes = w.image_bytes + image_growth
          where w.owner_id = ${owner};`

/** Stores the record of the item's key; `not found` where there is one that has not expired. */
export const keepRecord = (
  owner: string,
  answer: string
): string => `insert into receipts as r (owner_id, key_hash, key, fingerprint, answer, created, stamp)
        values (${owner}, g.key_hash, g.key, g.fingerprint,
          ${answer}, clock, stamp)
        on conflict (owner_id, key_hash) do update set key = excluded.key, fingerprint = excluded.fingerprint,
          answer = excluded.answer, created = excluded.created, stamp = excluded.stamp where r.created <= expired_before;`

/** The item's answer with the times of the write. */
export const datedAnswer = `replace(replace(g.answer, g.answer_created, ${iso("date")}), g.answer_updated, ${iso("stamp")})`

const endOf = (owner: string, order: string): string =>
  `(select r.created from receipts r where r.owner_id = ${owner} order by r.created ${order} limit 1)`

const expired = (
  owner: string,
  kept: string,
  where: string,
  order: string
): string => `(select r.key_hash from receipts r
            where r.owner_id = ${owner} and r.created ${where} order by r.created ${order}
            limit most_pruned * ${kept} for update skip locked)`

/** Whether a record has expired: one look at both ends of the index, where there seldom is one. */
export const hasExpired = (owner: string): string =>
  `${endOf(owner, "asc")} < expired_before or ${endOf(owner, "desc")} > expired_after`

/** Removes expired records, `most_pruned` of each kind for each of those that were kept. */
export const removeExpired = (
  owner: string,
  kept: string
): string => `outdated := array(select key_hash from ${expired(owner, kept, "< expired_before", "asc")} as old
            union all select key_hash from ${expired(owner, kept, "> expired_after", "desc")} as ahead);
          delete from receipts r where r.owner_id = ${owner} and r.key_hash = any (outdated);`
