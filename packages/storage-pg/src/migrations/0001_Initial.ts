/**
 * The primary key of every table that belongs to an account begins with `owner_id`, and its foreign keys include it:
 * the database itself rejects references across owners. Times are epoch milliseconds. Keys for comparison (`*_key`,
 * `search`, hashes) hold results of the domain's functions, in the collation "C".
 */
const accounts = `
create table accounts (
  id uuid primary key,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  timezone text not null,
  default_thing_type text not null,
  default_list_sort text not null,
  default_reminder_minutes integer not null,
  default_alert_minutes integer not null,
  default_reminder_color text not null,
  repeat_moves_to_day boolean not null,
  created bigint not null,
  last_write bigint not null default 0,
  password_hash text,
  feed_token text collate "C" unique
) with (fillfactor = 70);
create unique index accounts_email on accounts (md5(email_key));

create table api_keys (
  owner_id uuid not null references accounts (id) on delete cascade,
  id text collate "C" not null unique,
  name text not null,
  scopes text[] not null,
  rate_limit integer not null,
  secret_hash text collate "C" not null,
  created bigint not null,
  revoked bigint,
  primary key (owner_id, id)
);

-- Apart from the key, so that counting rewrites a narrow row without an index on what changes.
create table key_usage (
  owner_id uuid not null,
  key_id text collate "C" not null,
  window_start bigint not null,
  used integer not null,
  granted integer not null,
  last_used bigint,
  primary key (owner_id, key_id),
  foreign key (owner_id, key_id) references api_keys (owner_id, id) on delete cascade
) with (fillfactor = 20);

create table receipts (
  owner_id uuid not null references accounts (id) on delete cascade,
  key_hash uuid not null,
  key text not null,
  fingerprint text not null,
  answer text not null,
  created bigint not null,
  primary key (owner_id, key_hash)
);
create index receipts_created on receipts (created)`

const lists = `
create table lists (
  owner_id uuid not null references accounts (id) on delete cascade,
  id uuid not null,
  title text not null,
  title_key text collate "C" not null,
  search text collate "C" not null,
  emoji text not null,
  day text collate "C",
  favorited boolean not null,
  archived boolean not null,
  sort text not null check (sort in
    ('chronological', 'reverse-chronological', 'alphabetical', 'reverse-alphabetical', 'modified')),
  created bigint not null,
  updated bigint not null,
  primary key (owner_id, id)
);
create unique index lists_day on lists (owner_id, day) where day is not null;
create index lists_title on lists (owner_id, md5(title_key));
create index lists_page on lists (owner_id, updated desc, id desc) where not archived`

const things = `
create table things (
  owner_id uuid not null,
  id uuid not null,
  list_id uuid not null,
  rank bigint not null,
  seq bigint not null,
  tabs integer not null,
  favorited boolean not null,
  clone_of uuid,
  has_clones boolean not null,
  text text not null,
  text_hash uuid not null,
  search text collate "C" not null,
  type text not null check (type in ('todo', 'dash', 'number', 'bullet', 'none', 'photo')),
  url text not null,
  url_hash uuid,
  tags text[] not null,
  photos text[] not null,
  list_ref uuid,
  completed boolean not null,
  canceled boolean not null,
  bold boolean not null,
  italic boolean not null,
  underline boolean not null,
  header boolean not null,
  subheader boolean not null,
  quote boolean not null,
  code boolean not null,
  note text not null,
  created bigint not null,
  updated bigint not null,
  primary key (owner_id, id),
  foreign key (owner_id, list_id) references lists (owner_id, id) on delete cascade,
  foreign key (owner_id, list_ref) references lists (owner_id, id) on delete set null (list_ref),
  -- Checked at the end, so that a family may come in any order.
  foreign key (owner_id, clone_of) references things (owner_id, id) on delete set null (clone_of)
    deferrable initially deferred
);
create index things_place on things (owner_id, list_id, rank, seq, id);
create index things_created on things (owner_id, created desc, id desc);
create index things_updated on things (owner_id, updated desc, id desc);
create index things_list_created on things (owner_id, list_id, created desc, id desc);
create index things_list_updated on things (owner_id, list_id, updated desc, id desc);
create index things_completed_created on things (owner_id, completed, created desc, id desc);
create index things_completed_updated on things (owner_id, completed, updated desc, id desc);
create index things_type_created on things (owner_id, type, created desc, id desc);
create index things_type_updated on things (owner_id, type, updated desc, id desc);
create index things_text_hash on things (owner_id, list_id, text_hash);
create index things_url_hash on things (owner_id, list_id, url_hash) where url_hash is not null;
create index things_clone_of on things (owner_id, clone_of) where clone_of is not null;
create index things_list_ref on things (owner_id, list_ref) where list_ref is not null;

create table thing_tags (
  owner_id uuid not null,
  thing_id uuid not null,
  tag_key text collate "C" not null,
  name text not null,
  created bigint not null,
  updated bigint not null,
  primary key (owner_id, thing_id, tag_key),
  foreign key (owner_id, thing_id) references things (owner_id, id) on delete cascade
);
create index thing_tags_created on thing_tags (owner_id, tag_key, created desc, thing_id desc);
create index thing_tags_updated on thing_tags (owner_id, tag_key, updated desc, thing_id desc) include (name)`

const reminders = `
create table places (
  owner_id uuid not null references accounts (id) on delete cascade,
  id uuid not null,
  name text not null,
  name_key text collate "C" not null,
  address text not null,
  latitude double precision,
  longitude double precision,
  radius_m double precision not null,
  primary key (owner_id, id)
);
create unique index places_name on places (owner_id, md5(name_key));

create table reminders (
  owner_id uuid not null,
  thing_id uuid not null,
  id uuid not null,
  at bigint,
  all_day boolean not null,
  first text not null,
  repeat text not null check (repeat in ('none', 'daily', 'weekly', 'monthly', 'yearly')),
  every integer not null,
  days text[] not null,
  until bigint,
  duration_minutes integer,
  end_at bigint,
  place_id uuid,
  place_on text check (place_on in ('arrive', 'leave')),
  radius_m double precision,
  alert_minutes integer not null,
  second_alert_minutes integer not null,
  color text not null,
  created bigint not null,
  primary key (owner_id, thing_id),
  unique (owner_id, id),
  check ((at is null) <> (place_id is null)),
  foreign key (owner_id, thing_id) references things (owner_id, id) on delete cascade,
  foreign key (owner_id, place_id) references places (owner_id, id) on delete cascade
);
create index reminders_at on reminders (owner_id, at, thing_id) where at is not null;
create index reminders_place on reminders (owner_id, place_id) where place_id is not null`

/**
 * Search finds substrings by their trigrams. When an extension is not available, the next best index is made, or none:
 * a search then reads all of the owner's rows and finds the same.
 */
export const search = `
do $$
begin
  create extension if not exists pg_trgm;
  begin
    create extension if not exists btree_gin;
    create index things_search on things using gin (owner_id, search gin_trgm_ops) with (gin_pending_list_limit = 1024);
    create index lists_search on lists using gin (owner_id, search gin_trgm_ops) with (gin_pending_list_limit = 1024);
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
    create index things_search on things using gin (search gin_trgm_ops) with (gin_pending_list_limit = 1024);
    create index lists_search on lists using gin (search gin_trgm_ops) with (gin_pending_list_limit = 1024);
  end;
exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
  raise notice 'search runs without a trigram index: %', sqlerrm;
end $$;`

/**
 * Statistics are disabled for these columns, so that the planner takes all owners and lists for alike and none for
 * empty. With statistics, an account that is newer than the last ANALYZE would be estimated at one row and read by
 * nested loops.
 */
const estimates = `
alter table lists alter column owner_id set statistics 0;
alter table things alter column owner_id set statistics 0;
alter table things alter column list_id set statistics 0;
alter table thing_tags alter column owner_id set statistics 0;
alter table reminders alter column owner_id set statistics 0`

export const version = 1
export const name = "Initial"
export const statements: ReadonlyArray<string> = [
  ...[accounts, lists, things, reminders, estimates].flatMap((part) => part.split(/;\n/)),
  search
]
