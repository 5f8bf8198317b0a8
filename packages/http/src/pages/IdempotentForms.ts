import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { withLineFeeds } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { digestOf } from "./Seen.ts"

const formName = "form"

/** Identifies a form that creates something; new each time a page is shown. */
export const newFormId: Effect.Effect<string> = Effect.sync(() => randomUUID())

export const hiddenFormId = (id: string): Html => html`<input type="hidden" name="${formName}" value="${id}" />`

/**
 * Runs a form's write once, even if the form is sent again because its answer was lost. Within a day, the same form
 * with the same fields gets the result of the first run (docs/decisions.md#writes).
 */
export const makeRunOnce = Effect.map(
  IdempotencyRecords,
  (records) =>
    <E, R>(fields: URLSearchParams, operation: string, write: Effect.Effect<string, E, R>) => {
      const id = fields.get(formName) ?? ""
      if (!isIdForm(id)) return write
      const sent = digestOf(typedIn(fields))
      return records.once(`form ${id} ${operation} ${sent}`, sent, write)
    }
)

/** What was typed. A repetition may come from another session or page, and omits an empty file. */
const typedIn = (fields: URLSearchParams): string => {
  const typed = [...fields].filter(([name, text]) => name !== "csrf" && name !== "back" && text !== "")
  return JSON.stringify(typed.map(([name, text]) => JSON.stringify([name, withLineFeeds(text)])).toSorted())
}
