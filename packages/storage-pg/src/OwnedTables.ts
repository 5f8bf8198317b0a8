/**
 * The tables with an owner that lie beside `accounts`: some are looked up by a key or a secret, before the owner is
 * known; deliveries of webhooks are leased across accounts.
 */
export const accountTables: ReadonlyArray<string> = [
  "api_keys",
  "key_usage",
  "key_counts",
  "oauth_grants",
  "oauth_codes",
  "oauth_tokens",
  "sessions",
  "webhooks",
  "webhook_deliveries",
  "webhook_accounts",
  "reminder_moments"
]

/**
 * The tables with what an account owns, apart from `accounts` and, but for those above, beside `write_clocks`: every key
 * of theirs begins with the owner. They are listed in the order in which an account's rows are deleted; of tables that
 * are not listed the rows go with those of a listed one (`on delete cascade`). `key` is the rest of the key, or
 * the physical location of a row (`ctid`) if that is more than one column. `bytes` is the size of what makes a row large,
 * if anything does.
 */
export const ownedTables: ReadonlyArray<{ readonly table: string; readonly key: string; readonly bytes?: string }> = [
  { table: "things", key: "id", bytes: "octet_length(note)" },
  { table: "lists", key: "id" },
  { table: "places", key: "id" },
  { table: "receipts", key: "key_hash", bytes: "octet_length(answer)" },
  { table: "reminder_moments", key: "thing_id" },
  { table: "webhook_accounts", key: "owner_id" },
  { table: "webhook_deliveries", key: "ctid" },
  { table: "webhooks", key: "id" },
  { table: "sessions", key: "hash" },
  { table: "oauth_tokens", key: "hash" },
  { table: "oauth_grants", key: "id" },
  { table: "api_keys", key: "id" },
  { table: "operation_images", key: "stamp", bytes: "bytes" },
  {
    table: "operations",
    key: "stamp",
    bytes: "coalesce(pg_column_size(things), 0) + coalesce(pg_column_size(shifted_things), 0)"
  }
]
