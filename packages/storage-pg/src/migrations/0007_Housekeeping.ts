/** Indexes for rows that are removed after a time: `Pruning` reads both ends of them. */
export const version = 7
export const name = "Housekeeping"
export const statements: ReadonlyArray<string> = [
  "create index if not exists receipts_owner_created on receipts (owner_id, created)",
  "create index if not exists attempts_began on attempts (began)",
  "create index if not exists oauth_grants_revoked on oauth_grants (revoked) where revoked is not null"
]
