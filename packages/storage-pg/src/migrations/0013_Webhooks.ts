/**
 * Webhooks, their deliveries, and the next moment of each reminder of accounts that announce reminders (ADR 80).
 * `webhook_accounts` says up to which operation each account was announced. Nothing here is written for accounts without
 * webhooks.
 *
 * A delivery waits while `next_attempt` is there, and `in_turn` while it also waits for the operations before it;
 * `lease_until` is by the clock of the database.
 */
const tables = `
alter table accounts add column if not exists all_day_at text not null default '09:00';

create table if not exists webhooks (
  owner_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  format text not null,
  description text not null,
  enabled boolean not null,
  disabled_reason text,
  secret text not null,
  former_secret text,
  former_until bigint,
  created bigint not null,
  last_success bigint,
  last_failure bigint,
  failing_since bigint,
  made_by text,
  since bigint not null,
  after_write bigint not null,
  primary key (owner_id, id)
);

create table if not exists webhook_deliveries (
  owner_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event text not null,
  message_id text not null,
  body text not null,
  notice json not null,
  position bigint not null,
  in_turn boolean not null,
  attempts integer not null,
  status integer,
  duration_ms integer,
  answer text,
  created bigint not null,
  next_attempt bigint,
  lease_until bigint,
  primary key (owner_id, webhook_id, id),
  unique (owner_id, webhook_id, message_id),
  foreign key (owner_id, webhook_id) references webhooks (owner_id, id) on delete cascade
);
create index if not exists webhook_deliveries_waiting on webhook_deliveries
  (owner_id, webhook_id, in_turn, next_attempt, id) where next_attempt is not null;
create index if not exists webhook_deliveries_turns on webhook_deliveries
  (owner_id, webhook_id, position, id) where next_attempt is not null and in_turn;
create index if not exists webhook_deliveries_leased on webhook_deliveries
  (owner_id, webhook_id) where lease_until is not null;
create index if not exists webhook_deliveries_log on webhook_deliveries (owner_id, webhook_id, created, id);
create index if not exists webhook_deliveries_created on webhook_deliveries (created);

create table if not exists webhook_accounts (
  owner_id uuid not null primary key,
  stamp bigint not null,
  keeps_moments boolean not null,
  rebuild_from bigint
);

create table if not exists reminder_moments (
  owner_id uuid not null,
  thing_id uuid not null,
  due_at bigint not null,
  stamp bigint not null,
  primary key (owner_id, thing_id)
);
create index if not exists reminder_moments_due on reminder_moments (due_at)`

export const version = 13
export const name = "Webhooks"
export const statements: ReadonlyArray<string> = tables.split(/;\n/)
