import { statements as appendThing } from "./0003_AppendThing.ts"

/**
 * The function that programs of schema 3 add a thing by, which migration 4 dropped under those that were running.
 * Dropped again once no program of schema 3 may run beside this one (`oldestProgram` in Migrations.ts).
 */
export const version = 6
export const name = "AppendThingAgain"
export const statements: ReadonlyArray<string> = appendThing.map((statement) =>
  statement.replace("create function", "create or replace function")
)
