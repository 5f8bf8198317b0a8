/**
 * The latest time, by its own clock, at which a program has announced operations or reminders of an account: one that is
 * ahead shows that a clock was. Null where only programs of earlier schemas did, which do not write it.
 */
export const version = 23
export const name = "WebhookClocks"
export const statements: ReadonlyArray<string> = ["alter table webhook_accounts add column if not exists clock bigint"]
