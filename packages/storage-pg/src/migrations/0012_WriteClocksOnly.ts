import { movedColumns } from "./0011_WriteClocks.ts"
import { writeToAccount } from "./WriteToAccount.ts"

/**
 * From here on an account is locked in `write_clocks` alone. What programs of schema 10 and older need goes: the second
 * lock, the columns of `accounts` that moved, and the foreign keys that keep data from lying apart from `accounts`, or
 * from being distributed by owner. Applied while no such program is connected; the next statement of one that was idle
 * fails, since it names a column that is gone.
 */
export const version = 12
export const name = "WriteClocksOnly"
export const oldestProgram = 11

const foreignKeys = [
  ["lists", "lists_owner_id_fkey"],
  ["places", "places_owner_id_fkey"],
  ["receipts", "receipts_owner_id_fkey"],
  ["operations", "operations_owner_id_fkey"],
  ["operation_images", "operation_images_owner_id_fkey"],
  ["things", "things_owner_id_clone_of_fkey"],
  ["things", "things_owner_id_list_ref_fkey"]
]

export const statements: ReadonlyArray<string> = [
  "drop trigger if exists accounts_mirrored on accounts",
  "drop trigger if exists write_clocks_mirrored on write_clocks",
  "drop function if exists mirror_account(), mirror_write_clock()",
  writeToAccount(false),
  ...foreignKeys.map(([table, key]) => `alter table ${table} drop constraint if exists ${key}`),
  `alter table accounts drop constraint if exists accounts_recording_program,
    ${movedColumns.map((column) => `drop column if exists ${column}`).join(", ")}`
]
