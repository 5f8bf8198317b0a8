/** Tokens and codes by their grant: a grant that is removed, or looked at whether anything of it is left, finds its own. */
export const version = 25
export const name = "GrantsOfTokens"
export const statements: ReadonlyArray<string> = [
  "create index if not exists oauth_tokens_grant on oauth_tokens (owner_id, grant_id)",
  "create index if not exists oauth_codes_grant on oauth_codes (owner_id, grant_id)"
]
