/**
 * Deliveries by their time: a poll for those that are due reads them, and no webhook of which nothing is. Only a statement
 * that asks for times above zero finds this index, so that none about a single webhook is planned to read all that is due.
 */
export const version = 26
export const name = "DueDeliveries"
export const statements: ReadonlyArray<string> = [
  "create index if not exists webhook_deliveries_due on webhook_deliveries (next_attempt) where next_attempt > 0"
]
