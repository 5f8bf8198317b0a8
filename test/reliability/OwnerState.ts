import type { TestServer } from "@lists-and-things/storage-pg/testing/TestServer"

/** Tables that change with every request, or on writes without any other effect. */
const uncounted = new Set(["key_usage", "key_counts", "receipts", "write_clocks"])

const tablesOf = async (postgres: TestServer): Promise<ReadonlyArray<string>> => {
  const rows = await postgres.sql(
    "select table_name as name from information_schema.columns where column_name = 'owner_id' and table_schema = 'public'"
  )
  return rows.map(({ name }) => String(name))
}

/** Every row of an owner, except counts of keys, records of idempotency and the write timestamp. */
export const rowsOf = async (postgres: TestServer, owner: string): Promise<ReadonlyArray<string>> => {
  const selects = (await tablesOf(postgres))
    .filter((table) => !uncounted.has(table))
    .map((table) => `select '${table} ' || to_jsonb(t)::text as row from ${table} t where owner_id = '${owner}'`)
  const rows = await postgres.sql(selects.join(" union all "))
  return rows.map(({ row }) => String(row)).toSorted()
}

/** As `rowsOf`, without values that differ between two owners who did the same: ids, times, ranks and hashes. */
export const shapeOf = async (postgres: TestServer, owner: string): Promise<ReadonlyArray<string>> =>
  (await rowsOf(postgres, owner))
    .map((row) =>
      row
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "id")
        .replaceAll(/"duration_ms": \d+/g, "")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
        .replaceAll(/\b\d{12,}\b/g, "time")
        .replaceAll(/"(secret_hash|secret|former_secret|message_id|made_by|id|by_id|request_id)": "[^"]+"/g, "")
    )
    .toSorted()
