import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { ListRef } from "@lists-and-things/domain/ports/ListStore"

/** Below every id: where a cursor over ids begins. */
export const nilId = "00000000-0000-0000-0000-000000000000"

/**
 * Ids, each in id form, as a parameter of type `uuid[]`. As an array the driver sends texts, and PostgreSQL converts them
 * wherever the parameter is named.
 */
export const uuids = (ids: Iterable<string>): string => `{${[...ids].join(",")}}`

/** The ids and the days by which lists are named. */
export const refsOf = (lists: ReadonlyArray<ListRef>) => ({
  ids: lists.filter((list) => typeof list === "string").filter(isIdForm),
  days: lists.filter((list) => typeof list !== "string").map(({ day }) => day)
})
