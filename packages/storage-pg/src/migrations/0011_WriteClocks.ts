import { writeToAccount } from "./WriteToAccount.ts"

/**
 * An account's lock and its last write timestamp, beside the data that they are for, and with them what every write of
 * data keeps of its account: counters, and where the history begins (ADR 87). `accounts` keeps its columns while a
 * program of an earlier schema may be connected. Until migration 12, triggers keep both alike, and a program that knows
 * `write_clocks` locks the account in `accounts` first, as the earlier ones do.
 */
export const version = 11
export const name = "WriteClocks"

export const movedColumns = [
  "last_write",
  "counted_at",
  "thing_count",
  "content_bytes",
  "image_bytes",
  "history_from",
  "settings_changed"
]

const of = (row: string): string => movedColumns.map((column) => `${row}.${column}`).join(", ")

const writeClocks = `create table if not exists write_clocks (
  owner_id uuid primary key,
  last_write bigint not null default 0,
  counted_at bigint,
  thing_count bigint not null default 0,
  content_bytes bigint not null default 0,
  image_bytes bigint not null default 0,
  history_from bigint not null default 0,
  settings_changed bigint not null default 0
) with (fillfactor = 50)`

const mirrorAccount = `create or replace function mirror_account() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from write_clocks w where w.owner_id = old.id;
  else
    insert into write_clocks as w (owner_id, ${movedColumns.join(", ")}) values (new.id, ${of("new")})
      on conflict (owner_id) do update set ${movedColumns.map((column) => `${column} = excluded.${column}`).join(", ")}
      where (${of("w")}) is distinct from (${of("excluded")});
  end if;
  return null;
end
$$`

const mirrorWriteClock = `create or replace function mirror_write_clock() returns trigger language plpgsql as $$
begin
  update accounts a set ${movedColumns.map((column) => `${column} = new.${column}`).join(", ")}
    where a.id = new.owner_id and (${of("a")}) is distinct from (${of("new")});
  return null;
end
$$`

const triggers = [
  `create or replace trigger accounts_mirrored after insert or delete or update of ${movedColumns.join(", ")} on accounts
    for each row execute function mirror_account()`,
  `create or replace trigger write_clocks_mirrored after update on write_clocks for each row
    when (old.* is distinct from new.*) execute function mirror_write_clock()`
]

/** After the triggers, whose creation locks `accounts` against writes until the migration is committed. */
const fill = `insert into write_clocks (owner_id, ${movedColumns.join(", ")}) select a.id, ${of("a")} from accounts a
  on conflict (owner_id) do nothing`

export const statements: ReadonlyArray<string> = [
  writeClocks,
  mirrorAccount,
  mirrorWriteClock,
  ...triggers,
  fill,
  writeToAccount(true)
]
