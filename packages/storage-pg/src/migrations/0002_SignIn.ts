/** Sign-in: clients belong to no account; grants, codes, tokens and sessions are deleted with theirs. */
const clients = `
create table oauth_clients (
  id_hash uuid primary key,
  id text not null,
  name text not null,
  redirect_uris text[] not null,
  created bigint not null,
  last_used bigint
);
create index oauth_clients_unused on oauth_clients (created) where last_used is null`

const grants = `
create table oauth_grants (
  owner_id uuid not null references accounts (id) on delete cascade,
  id uuid not null,
  client_id text not null,
  client_name text not null,
  scopes text[] not null,
  created bigint not null,
  last_used bigint,
  revoked bigint,
  primary key (owner_id, id)
);

create table oauth_codes (
  owner_id uuid not null,
  hash text collate "C" not null unique,
  grant_id uuid not null,
  client_id text not null,
  redirect_uri text not null,
  challenge text not null,
  expires bigint not null,
  used boolean not null,
  primary key (owner_id, hash),
  foreign key (owner_id, grant_id) references oauth_grants (owner_id, id) on delete cascade
);
create index oauth_codes_expires on oauth_codes (expires);

create table oauth_tokens (
  owner_id uuid not null,
  hash text collate "C" not null unique,
  kind text not null check (kind in ('access', 'refresh')),
  grant_id uuid not null,
  expires bigint not null,
  replaced bigint,
  primary key (owner_id, hash),
  foreign key (owner_id, grant_id) references oauth_grants (owner_id, id) on delete cascade
);
create index oauth_tokens_expires on oauth_tokens (expires)`

const sessions = `
create table sessions (
  owner_id uuid not null references accounts (id) on delete cascade,
  hash text collate "C" not null unique,
  csrf text not null,
  created bigint not null,
  expires bigint not null,
  primary key (owner_id, hash)
);
create index sessions_expires on sessions (expires);

create table attempts (
  key_hash uuid primary key,
  began bigint not null,
  count integer not null
)`

export const version = 2
export const name = "SignIn"
export const statements: ReadonlyArray<string> = [clients, grants, sessions].flatMap((part) => part.split(/;\n/))
