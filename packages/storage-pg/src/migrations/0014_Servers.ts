/**
 * Where servers answer (ADR 78), and links with which an account gets its first password. `servers` is of this
 * installation alone and in no dump.
 */
export const version = 14
export const name = "Servers"

export const statements: ReadonlyArray<string> = [
  `create table if not exists servers (
    machine text not null,
    host text not null,
    port integer not null,
    url text not null,
    started bigint not null,
    seen bigint not null,
    stopped bigint,
    primary key (machine, host, port)
  )`,
  "create index if not exists servers_seen on servers (seen)",
  "alter table accounts add column if not exists password_link_hash text, add column if not exists password_link_expires bigint",
  `create unique index if not exists accounts_password_link on accounts (password_link_hash)
    where password_link_hash is not null`
]
