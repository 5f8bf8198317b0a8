/**
 * Secrets of a webhook that were replaced before `former_secret`, the newest first, with the time until which each signs
 * on. Null where there is none; programs of earlier schemas leave it as it is, and sign with `former_secret` alone.
 */
export const version = 24
export const name = "EarlierSecrets"
export const statements: ReadonlyArray<string> = ["alter table webhooks add column if not exists earlier_secrets json"]
