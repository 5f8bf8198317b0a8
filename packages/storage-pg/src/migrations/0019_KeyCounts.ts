/**
 * The counts of keys (ADR 81). PostgreSQL keeps an unlogged table over a restart and empties it after a crash; of a key
 * without a row here, `key_usage` says what was counted at most.
 */
export const version = 19
export const name = "KeyCounts"
export const statements: ReadonlyArray<string> = [
  `create unlogged table if not exists key_counts (
    owner_id uuid not null,
    key_id text collate "C" not null,
    window_start bigint not null,
    used integer not null,
    -- Beyond \`used\`, and counted in \`key_usage\` already.
    reserved integer not null,
    last_used bigint,
    primary key (owner_id, key_id),
    foreign key (owner_id, key_id) references api_keys (owner_id, id) on delete cascade
  ) with (fillfactor = 20)`,
  // So that the keys that there are do not all begin contended.
  `insert into key_counts (owner_id, key_id, window_start, used, reserved)
    select owner_id, key_id, 0, 0, 0 from key_usage on conflict do nothing`
]
