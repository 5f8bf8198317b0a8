/**
 * The scopes of an access token that was asked for with fewer than its grant has; null for all of them. Programs of
 * earlier schemas neither read nor write it: to them such a token has the scopes of its grant.
 */
export const version = 22
export const name = "TokenScopes"
export const statements: ReadonlyArray<string> = ["alter table oauth_tokens add column if not exists scopes text[]"]
