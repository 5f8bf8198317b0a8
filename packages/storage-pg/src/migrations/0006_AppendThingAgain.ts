import { statements as appendThing } from "./0003_AppendThing.ts"

/**
 * Restores the function by which programs of schema 3 add a thing; migration 4 dropped it while such programs ran.
 * Dropped again once no program of schema 3 may run beside this one (`oldestProgram` in Migrations.ts).
 */
export const version = 6
export const name = "AppendThingAgain"
export const statements: ReadonlyArray<string> = appendThing.map((statement) =>
  statement.replace("create function", "create or replace function")
)
